// Files are not trusted: whatever bytes a block has, questions end, with an answer or with a failure that is told.
#include <gtest/gtest.h>

#include <random>

#include "../random_cases.h"
#include "../reader/temp_file.h"
#include "base/checksum.h"
#include "base/parallel.h"
#include "format/block.h"
#include "query/filter/filter.h"
#include "query/statistics/aggregate.h"
#include "query/statistics/diff.h"
#include "query/statistics/pair.h"
#include "query/statistics/site_times.h"
#include "random_log.h"

namespace steno::query {
namespace {

using test::TempFile;

// Changes some payload bytes of data blocks, and makes their checksums fit.
std::string mutated(std::string bytes, std::mt19937& random) {
  std::vector<std::size_t> blocks;
  for (std::size_t at = 0; at + format::kBlockHeaderSize <= bytes.size();) {
    format::BlockHeader header;
    const auto* p = reinterpret_cast<const std::uint8_t*>(bytes.data()) + at;
    if (!format::parse_header(p, bytes.size() - at, &header)) break;
    if (header.type == format::BlockType::kColumns || header.type == format::BlockType::kRows) blocks.push_back(at);
    at += header.total_size();
  }
  for (std::size_t change = 0; change < 4; ++change) {
    const std::size_t at = blocks[random() % blocks.size()];
    auto* p = reinterpret_cast<std::uint8_t*>(bytes.data()) + at;
    format::BlockHeader header;
    EXPECT_TRUE(format::parse_header(p, bytes.size() - at, &header));
    if (header.length == 0) continue;
    const std::uint32_t mark = format::mark_of(p, header);
    // Directories and the heads of columns matter most.
    const std::size_t within =
        random() % 2 == 0 ? random() % std::min<std::size_t>(header.length, 200) : random() % header.length;
    p[format::kBlockHeaderSize + within] = static_cast<std::uint8_t>(random());
    const std::uint64_t seed = load<std::uint64_t>(p + 4);
    store(p + 12, static_cast<std::uint32_t>(xxh3(p + format::kBlockHeaderSize, header.length, seed)) ^ mark);
  }
  return bytes;
}

// With little memory keys take several passes, and quantiles are searched for in rounds.
void ask(const reader::LogSet& logs, std::size_t memory) {
  const auto took = find_statement(logs, "took %d ms, id %lu%s");
  const auto filled = find_statement(logs, "filled {qty} @ {price} for {client}");
  for (const char* where :
       {"", "qty > 10 or message contains \"out\"", "client == \"acme\" or {2} =~ \"o.t\" or small < 2"}) {
    FilterOptions options;
    options.where = where;
    auto expression = make_expression(options, logs);
    if (!expression.ok()) continue;
    const Predicate predicate(std::move(expression).value(), logs);
    Question question;
    question.memory = memory;
    question.subject = {&logs, nullptr, &predicate};
    set_default_threads(2);
    question.operations = *parse_operations({"count"});
    question.keys = *parse_keys({"level", "thread", "time:100us"}, nullptr);
    (void)aggregate(question);
    if (filled.ok()) {
      question.subject.statement = &*filled;
      question.operations = *parse_operations({"count,min,mean,stddev,p50,p99,distinct,hist"});
      for (const char* name : {"qty", "price"}) {
        question.argument = *find_argument(*filled, name);
        question.keys.clear();
        (void)aggregate(question);
        question.keys = *parse_keys({"client"}, &*filled);
        (void)aggregate(question);
      }
    }
    set_default_threads(1);
    if (took.ok() && filled.ok()) {
      PairQuestion pair;
      pair.subject = {&logs, nullptr, &predicate};
      pair.first = *filled;
      pair.second = *took;
      pair.keys = {{Field::kArgument, *find_argument(*filled, "client"), *find_argument(*took, "2"), "client"}};
      (void)pair_records(pair);
    }
    const Subject all{&logs, nullptr, &predicate};
    (void)diff_logs(all, all, {});
  }
  set_default_threads(0);
  for (const auto& file : logs.files()) (void)find_site_times(*file);
}

TEST(Hostile, QuestionsEnd) {
  for (const bool rows : {false, true}) {
    const std::string sound = test::random_log(21, rows, 8, 600).bytes;
    std::mt19937 random(rows ? 1 : 2);
    for (int round = 0; round < test::random_cases(60); ++round) {
      const TempFile file(mutated(sound, random));
      reader::LogSet logs;
      if (!logs.add(file.path()).ok()) continue;
      for (const int bits : {30, 13}) ask(logs, std::size_t{1} << bits);
    }
  }
}

}  // namespace
}  // namespace steno::query
