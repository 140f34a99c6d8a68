// `cat --tail` and `tail -n`, which read the end of a log only: what they print is the end of what `cat` prints.
#include <gtest/gtest.h>

#include <random>

#include "../reader/file_builder.h"
#include "../sanitizers.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_steno;
using test::TempFile;

constexpr std::uint64_t kRecords = 150'000;  // more than is read at first where there is a filter

// Three rings that drift apart, so that blocks overlap. `rare` is in one record of 7,000, `early` at the beginning
// only.
std::string large_log(std::uint64_t session, std::uint64_t offset) {
  std::mt19937_64 random(session);
  FileBuilder b;
  b.session(session).site(16, Level::kInfo, "n {n}", "m", 10).site(17, Level::kWarn, "rare {n}", "m", 20);
  b.site(18, Level::kError, "early {n}", "m", 30);
  std::uint64_t ticks[3];
  for (std::uint32_t r = 0; r < 3; ++r) {
    b.thread(r, r + 1, "t" + std::to_string(r));
    ticks[r] = FileBuilder::kStart + offset + 5000 * r;
  }
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    const auto r = static_cast<std::uint32_t>(random() % 3);
    ticks[r] += random() % 20;
    b.log(r, i < 5 ? 18 : i % 7000 == 0 ? 17 : 16, ticks[r], Args().u64(i));
    if (random() % 1000 == 0) b.flush();
  }
  return b.end().bytes();
}

std::string last_lines(const std::string& text, std::size_t n) {
  std::size_t at = text.size();
  while (at != 0 && n != 0) {
    at = text.rfind('\n', at - 1);  // the one that ends the line, then the one before it
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    at = before == std::string::npos ? 0 : before + 1;
    --n;
  }
  return text.substr(at);
}

TEST(TailOfLog, IsTheEndOfAll) {
  const TempFile first(large_log(1, 0));
  const TempFile second(large_log(2, 700'000));
  const std::vector<std::vector<std::string>> conditions = {{},
                                                            {"--level", "WARN"},
                                                            {"--level", "ERROR"},
                                                            {"--grep", "rare"},
                                                            {"--where", "n < 3"},
                                                            {"--where", "n < 0"},
                                                            {"--thread", "t1", "--where", "n > 7000"},
                                                            {"--until", "first 200us"}};
  for (const std::vector<std::string>& files :
       std::vector<std::vector<std::string>>{{first.path()}, {first.path(), second.path()}}) {
    for (const char* order : {"", "--no-sort"}) {
      for (const auto& condition : conditions) {
        std::vector<std::string> arguments = {"cat"};
        arguments.insert(arguments.end(), files.begin(), files.end());
        arguments.insert(arguments.end(), condition.begin(), condition.end());
        if (*order != '\0') arguments.emplace_back(order);
        const Ran all = run_steno(arguments);
        ASSERT_EQ(all.code, 0) << all.err;
        EXPECT_EQ(all.out.empty(), !condition.empty() && condition[1] == "n < 0");
        for (const int n : {0, 1, 10, 30, 20'000}) {
          if (n != 30 && (test::kAddressSanitizer || test::kThreadSanitizer)) continue;  // they take minutes
          std::vector<std::string> tail = arguments;
          tail.insert(tail.end(), {"--tail", std::to_string(n), "--jobs", n >= 10 && n <= 30 ? "3" : "1"});
          const Ran ran = run_steno(tail);
          EXPECT_EQ(ran.code, 0) << ran.err;
          EXPECT_TRUE(ran.out == last_lines(all.out, static_cast<std::size_t>(n)))
              << n << " " << order << (condition.empty() ? "" : " " + condition[1]) << ": " << ran.out.size()
              << " bytes";
        }
        if (*order != '\0') continue;
        arguments[0] = "tail";
        arguments.insert(arguments.end(), {"-n", "25"});
        EXPECT_EQ(run_steno(arguments).out, last_lines(all.out, 25));
      }
    }
  }
}

TEST(TailOfLog, CsvHasItsHeaderOnce) {
  const TempFile file(large_log(3, 0));
  const Ran ran = run_steno({"cat", file.path(), "--format", "csv", "--where", "n < 2", "--tail", "1"});
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 2) << ran.out;
  EXPECT_EQ(ran.out.substr(0, 5), "time,");
}

// The checksum of its block holds, the codec of its column is none.
TEST(TailOfLog, WhatCannotBeReadIsReported) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "n {n}", "m", 10);
  b.log(0, 16, FileBuilder::kStart, Args().u64(1)).flush();
  const std::string sound = b.bytes();
  for (std::uint64_t i = 1; i < 4; ++i) b.log(0, 16, FileBuilder::kStart + i, Args().u64(5));
  const std::string block = b.flush().bytes().substr(sound.size());
  format::BlockHeader header;
  ASSERT_TRUE(format::parse_header(reinterpret_cast<const std::uint8_t*>(block.data()), block.size(), &header));
  std::string payload = block.substr(format::kBlockHeaderSize, header.length);
  ASSERT_EQ(payload.substr(payload.size() - 2), "\x01\x05");  // constant, 5
  payload[payload.size() - 2] = '\xEE';
  ByteBuffer forged;
  const std::size_t start = format::begin_block(
      forged, header.type,
      format::SessionTag(header.session_tag,
                         format::mark_of(reinterpret_cast<const std::uint8_t*>(block.data()), header)));
  forged.put_bytes(payload.data(), payload.size());
  format::end_block(forged, start);
  const TempFile file(sound + std::string(reinterpret_cast<const char*>(forged.data()), forged.size()));
  for (const auto& command : {std::vector<std::string>{"tail"}, {"cat", "--tail", "9"}, {"cat"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back(file.path());
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.out.find("n 1\n"), std::string::npos) << ran.out;
    EXPECT_NE(ran.err.find("cannot be used: "), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("(3 records)"), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace steno
