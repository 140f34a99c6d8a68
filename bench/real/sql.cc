// A database: statements with their literals, some with long lists; transactions.
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "real/line.h"
#include "real/stream.h"
#include "real/words.h"

namespace steno::bench {
namespace {

constexpr std::array<const char*, 5> kStates = {"open", "paid", "shipped", "returned", "void"};

struct Sql {
  enum Site : std::uint8_t { kStatement, kBegin, kCommit, kSlow };
  struct Line {
    Site site;
    std::string_view statement;
    std::uint64_t id, rows, us;
  };

  explicit Sql(Draw& pool)
      : tables(make_words(pool, 40)), columns(make_words(pool, 120)), names(make_words(pool, 2'000)) {}

  Line next(Draw& draw, Texts& texts) {
    Line line{};
    line.site = static_cast<Site>(draw.pick(sites));
    switch (line.site) {
      case kSlow:
      case kStatement:
        line.statement = texts.keep(statement(draw));
        line.us = draw.magnitude(line.site == kSlow ? 20 : 4, times);
        break;
      case kBegin:
        line.id = ++transactions;
        break;
      case kCommit:
        line.id = transactions - draw.below(8);
        line.rows = draw.magnitude(0, times);
        break;
    }
    return line;
  }

  std::string statement(Draw& draw) {
    std::string out;
    const std::string& table = tables.get(draw.pick(which_table), draw);
    auto to = std::back_inserter(out);
    switch (draw.pick(kinds)) {
      case 0:
        fmt::format_to(to, "SELECT id, {}, {} FROM {} WHERE id = {}", column(draw), column(draw), table, number(draw));
        break;
      case 1:
        fmt::format_to(to, "SELECT * FROM {} WHERE {} = '{}' AND state = '{}' ORDER BY {} LIMIT {}", table,
                       column(draw), name(draw), kStates[draw.below(kStates.size())], column(draw),
                       10 * (1 + draw.below(10)));
        break;
      case 2:
        fmt::format_to(to,
                       "INSERT INTO {} (id, {}, {}, price, made) VALUES ({}, '{}', '{}', {}.{:02}, '2026-11-{:02} "
                       "{:02}:{:02}:{:02}')",
                       table, column(draw), column(draw), number(draw), name(draw), name(draw), draw.below(1'000),
                       draw.below(100), 1 + draw.below(30), draw.below(24), draw.below(60), draw.below(60));
        break;
      case 3:
        fmt::format_to(to, "UPDATE {} SET {} = '{}', state = '{}' WHERE id = {}", table, column(draw), name(draw),
                       kStates[draw.below(kStates.size())], number(draw));
        break;
      default:
        fmt::format_to(to, "SELECT id, {} FROM {} WHERE id IN (", column(draw), table);
        for (std::uint64_t n = draw.magnitude(1, list_lengths); n != 0; --n) {
          fmt::format_to(to, "{}{}", number(draw), n > 1 ? ", " : ")");
        }
    }
    return out;
  }

  const std::string& column(Draw& draw) { return columns.get(draw.pick(which_column), draw); }
  const std::string& name(Draw& draw) { return names.get(draw.pick(which_name), draw); }
  static std::uint32_t number(Draw& draw) { return 1'000'000 + draw.below(4'000'000); }

  static void write(const Line& l, std::string* text) {
    switch (l.site) {
      case kStatement:
        BENCH_LINE(text, DEBUG, "{us} us: {sql}", l.us, l.statement);
        break;
      case kBegin:
        BENCH_LINE(text, TRACE, "transaction {id} begins", l.id);
        break;
      case kCommit:
        BENCH_LINE(text, DEBUG, "transaction {id} committed, {rows} rows", l.id, l.rows);
        break;
      case kSlow:
        BENCH_LINE(text, WARN, "slow statement, {us} us: {sql}", l.us, l.statement);
        break;
    }
  }

  Pool<std::string> tables, columns, names;
  std::uint64_t transactions = 1'000'000;
  Choice sites{{70, 15, 14.9, 0.1}};
  Choice kinds{{45, 15, 18, 17, 5}};
  Choice which_table = Choice::zipf(40, 1.0);
  Choice which_column = Choice::zipf(120, 1.0);
  Choice which_name = Choice::zipf(2'000, 0.8);
  Choice times{{10, 25, 30, 20, 10, 5}};
  Choice list_lengths{{30, 30, 20, 10, 5, 3, 2}};
};

}  // namespace

std::unique_ptr<Stream> sql_stream(unsigned thread) {
  return make_stream<Sql>(thread);
}

}  // namespace steno::bench
