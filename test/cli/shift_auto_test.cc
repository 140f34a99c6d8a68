// --shift auto, and clocks without statements: what they find by themselves is what clocks finds with statements, every
// command applies it, and where nothing proves which record came first they refuse.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "../reader/file_builder.h"
#include "../sanitizers.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_shell;
using test::run_steno;
using test::TempFile;

// A record by its host's own clock.
struct Said {
  std::int64_t time;
  std::uint32_t site;
  std::int32_t id;
};
using OfHosts = std::map<std::string, std::vector<Said>>;

std::string log_of_hosts(const OfHosts& hosts) {
  FileBuilder b;
  std::uint64_t number = 1;
  for (const auto& [host, records] : hosts) {
    format::SessionBlock block;
    block.session_id = number++;
    block.start_wall = FileBuilder::kStart;
    block.clock_kind = 3;
    block.program = "shop";
    block.host = host;
    b.session(block).thread(0, 1, "main");
    b.site(16, Level::kInfo, "sent query {query_id}", "i").site(17, Level::kInfo, "query {id} came", "i");
    b.site(18, Level::kInfo, "answered query {id}", "i").site(19, Level::kInfo, "answer to {query_id} came", "i");
    b.site(20, Level::kWarn, "shard {id} is slow", "i");
    auto sorted = records;
    std::sort(sorted.begin(), sorted.end(), [](const Said& x, const Said& y) { return x.time < y.time; });
    for (const Said& one : sorted) b.log(0, one.site, static_cast<std::uint64_t>(one.time), Args().i32(one.id));
    b.end();
  }
  return b.bytes();
}

struct Shop {
  OfHosts hosts;
  std::mt19937_64 random;
  explicit Shop(unsigned seed) : random(seed) {}

  std::int64_t up_to(std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  }
  // Queries of web1 that db1 answers, 10 ms apart; db1's clock is ahead. The work takes up to `work` ns, each way up to
  // `way`.
  Shop& ask(std::int64_t ahead, std::int32_t queries, std::int64_t work = 5'000'000, std::int64_t way = 200'000,
            std::int32_t first = 0) {
    for (std::int32_t id = first; id < first + queries; ++id) {
      std::int64_t at = FileBuilder::kStart + 10'000'000'000 + std::int64_t{id} * 10'000'000;
      hosts["web1"].push_back({at, 16, id});
      hosts["db1"].push_back({(at += 1000 + up_to(way)) + ahead, 17, id});
      hosts["db1"].push_back({(at += 1 + up_to(work)) + ahead, 18, id});
      hosts["web1"].push_back({at + 1000 + up_to(way), 19, id});
    }
    return *this;
  }
  // Numbers that repeat, on both hosts.
  Shop& warn() {
    for (std::int32_t i = 0; i < 2000; ++i) {
      hosts[i % 2 == 0 ? "web1" : "db1"].push_back({FileBuilder::kStart + up_to(20'000'000'000), 20, i % 7});
    }
    return *this;
  }
};

const std::vector<std::string> kByWords = {
    "sent query", "query {id} came", "answered query", "answer to {query_id} came", "--key", "query_id=id"};

std::string last_line(const std::string& out) {
  return out.substr(out.rfind("\n--shift ") + 1);
}

TEST(ShiftAutoProperty, ClocksFindsTheStatementsItself) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    Shop shop(seed);
    const std::int64_t ahead = shop.up_to(6'000'000'000) - 3'000'000'000;
    const TempFile file(log_of_hosts(shop.ask(ahead, 300).warn().hosts));
    std::vector<std::string> by_words = {"clocks", file.path()};
    by_words.insert(by_words.end(), kByWords.begin(), kByWords.end());
    const Ran ran = run_steno({"clocks", file.path()});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.out, run_steno(by_words).out) << "ahead by " << ahead;
    EXPECT_EQ(
        ran.err,
        "steno: the statements that must be in order are 'sent query {query_id}' 'query {id} came' 'answered query "
        "{id}' 'answer to {query_id} came' --key query_id=id\n");
  }
}

TEST(ShiftAuto, EveryCommandAppliesWhatClocksPrints) {
  Shop shop(1);
  const TempFile file(log_of_hosts(shop.ask(-1'700'000'000, 300).warn().hosts));
  const Ran clocks = run_steno({"clocks", file.path()});
  const std::string option = last_line(clocks.out);
  ASSERT_EQ(option.find("--shift web1=-1"), 0U) << clocks.out;
  const std::string amount = option.substr(8, option.size() - 9);
  const std::string part = file.path() + ".part";
  for (const std::string& command : std::vector<std::string>{
           "cat $FILE", "cat $FILE -r -n 3", "cat $FILE --count --since 22:24:53", "tail -n 30 $FILE",
           "agg $FILE --by time:100ms", "pair $FILE 'sent query' 'query {id} came' --key query_id=id",
           "diff $FILE --before 22:24:52 --after 22:24:52", "clocks $FILE",
           "cut $FILE --until 22:24:52.5 --force -o " + part}) {
    const Ran by_hand = run_shell("$STENO " + command + " --shift " + amount + " 2>/dev/null", file.path());
    const Ran ran = run_shell("$STENO " + command + " --shift auto 2>/dev/null", file.path());
    EXPECT_EQ(ran.code, 0) << command;
    EXPECT_EQ(ran.out, by_hand.out) << command;
    const std::string said = run_shell("$STENO " + command + " --shift auto 2>&1 >/dev/null", file.path()).out;
    EXPECT_NE(said.find("steno: --shift auto: applies " + amount + " (-1.7 s), uncertain by "), std::string::npos)
        << command << ": " << said;
    EXPECT_NE(said.find("; by 600 pairs of 'sent query {query_id}' "), std::string::npos) << said;
  }
  ::unlink(part.c_str());
}

// About a million records: two statements before the work and two after it are equally good, and which of them
// bounds best depends on the keys that are looked at.
TEST(ShiftAuto, IsTheSameForAnyNumberOfThreads) {
  std::mt19937_64 random(2);
  FileBuilder b;
  constexpr std::int32_t kQueries = 173'000;
  for (const bool outer : {true, false}) {
    format::SessionBlock block;
    block.session_id = outer ? 1 : 2;
    block.start_wall = FileBuilder::kStart;
    block.clock_kind = 3;
    block.program = "shop";
    block.host = outer ? "web1" : "db1";
    b.session(block).thread(0, 1, "main");
    const std::vector<const char*> texts = outer ? std::vector<const char*>{"a {id}", "b {id}", "c {id}", "d {id}"}
                                                 : std::vector<const char*>{"came {id}", "answered {id}"};
    std::uint32_t site = 16;
    for (const char* text : texts) b.site(site++, Level::kInfo, text, "i");
    for (std::int32_t id = 0; id < kQueries; ++id) {
      const std::uint64_t work =
          (static_cast<std::uint64_t>(id) + 1) * 0x9E37'79B9'7F4A'7C15 >> 24;  // equal on both hosts
      const std::uint64_t came = FileBuilder::kStart + static_cast<std::uint64_t>(id) * 10'000'000 + 1'000'000;
      const std::uint64_t answered = came + 1 + work % 5'000'000;
      std::vector<std::pair<std::uint64_t, std::uint32_t>> records = {{came, 16}, {answered, 17}};
      if (outer) {
        const auto near = [&] { return 1000 + random() % 200'000; };
        records = {{came - near(), 16}, {came - near(), 17}, {answered + near(), 18}, {answered + near(), 19}};
      }
      std::sort(records.begin(), records.end());
      for (const auto& [time, number] : records) b.log(0, number, time, Args().i32(id));
      if (id % 5000 == 4999) b.flush();
    }
    b.end();
  }
  const TempFile file(b.bytes());
  const Ran one = run_steno({"clocks", file.path(), "--jobs", "1"});
  EXPECT_EQ(one.code, 0) << one.err;
  for (const char* jobs : {"2", "3", "5"}) {
    if (test::kAddressSanitizer && jobs[0] != '3') continue;
    const Ran ran = run_steno({"clocks", file.path(), "--jobs", jobs});
    EXPECT_EQ(ran.out + ran.err, one.out + one.err) << jobs;
  }
}

TEST(ShiftAuto, ClocksThatAgreeStayAsTheyAre) {
  Shop shop(2);
  const TempFile file(log_of_hosts(shop.ask(0, 100).hosts));
  const Ran ran = run_steno({"cat", file.path(), "--shift", "auto"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err.find("steno: --shift auto: all pairs are in order as they are, so nothing is moved; by 200 pairs"),
            0U)
      << ran.err;
  EXPECT_EQ(ran.out, run_steno({"cat", file.path()}).out);
}

TEST(ShiftAuto, AHostWithoutPairsIsNamed) {
  Shop shop(3);
  shop.ask(2'000'000'000, 100).hosts["cache1"].push_back({FileBuilder::kStart, 20, 3});
  const TempFile file(log_of_hosts(shop.hosts));
  const Ran ran = run_steno({"cat", file.path(), "--count", "--shift", "auto"});
  EXPECT_NE(ran.err.find("steno: --shift auto: of 'cache1' there is no estimate; its times stay as they are\n"),
            std::string::npos)
      << ran.err;
}

void expect_refused(const std::string& log, const std::string& why) {
  const TempFile file(log);
  for (const std::string command : {"cat", "agg", "tail"}) {
    const Ran ran = run_steno({command, file.path(), "--shift", "auto"});
    EXPECT_EQ(ran.code, 2) << why;
    EXPECT_EQ(ran.out, "") << why;
    EXPECT_EQ(ran.err.find("steno: --shift: auto: " + why), 0U) << ran.err;
  }
}

TEST(ShiftAuto, RefusesWhereThereIsNoEstimate) {
  const std::string none = "there is no estimate, because no requests are known that enclose work on another host; ";
  expect_refused(log_of_hosts({{"web1", {{FileBuilder::kStart, 16, 1}}}}), "all records are of one host");
  expect_refused(log_of_hosts(Shop(4).ask(1'700'000'000, 10).hosts), none);  // chance
  expect_refused(log_of_hosts(Shop(5).warn().hosts), none);                  // numbers that are no ids
  // The clock was set in the middle.
  expect_refused(log_of_hosts(Shop(6).ask(0, 100).ask(1'700'000'000, 100, 5'000'000, 200'000, 100).hosts), none);
}

// Work that goes on after both records of the sender: the longer time is not that of a request. A shift that puts the
// sender's records between the others would fit all of them, and be wrong.
TEST(ShiftAuto, WorkOfABatchEnclosesNothing) {
  Shop shop(7);
  for (std::int32_t id = 0; id < 300; ++id) {
    const std::int64_t at = FileBuilder::kStart + std::int64_t{id} * 10'000'000;
    shop.hosts["web1"].push_back({at, 16, id});
    shop.hosts["web1"].push_back({at + 1000 + shop.up_to(20'000), 19, id});
    shop.hosts["db1"].push_back({at + 1'000'000 + shop.up_to(1'000'000), 17, id});
    shop.hosts["db1"].push_back({at + 5'000'000 + shop.up_to(50'000'000), 18, id});
  }
  expect_refused(log_of_hosts(shop.hosts), "there is no estimate");
}

// The clock of the first host by name counts as right, or that of another one.
TEST(ShiftAuto, AnyHostIsTheReference) {
  const TempFile file(log_of_hosts(Shop(9).ask(1'700'000'000, 300).hosts));
  const Ran usual = run_steno({"cat", file.path(), "--count", "--shift", "auto"});
  EXPECT_EQ(usual.err.find("steno: --shift auto: applies web1=1"), 0U) << usual.err;
  const Ran ran = run_steno({"cat", file.path(), "--count", "--shift", "auto", "--reference", "web1"});
  EXPECT_EQ(ran.err.find("steno: --shift auto: applies db1=-1"), 0U) << ran.err;
  EXPECT_NE(ran.err.find("ns (-1.7 s), uncertain by "), std::string::npos) << ran.err;
  EXPECT_EQ(last_line(run_steno({"clocks", file.path(), "--reference", "web1"}).out).find("--shift db1=-1"), 0U);
  EXPECT_EQ(last_line(run_steno({"clocks", file.path(), "--reference", "db1"}).out).find("--shift web1=1"), 0U);
  for (const char* command : {"cat", "clocks"}) {
    const Ran wrong = run_steno({command, file.path(), "--shift", "auto", "--reference", "web2"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_EQ(wrong.err, "steno: --reference: there is no host 'web2'; did you mean 'web1'?\n");
  }
  EXPECT_EQ(run_steno({"clocks", file.path(), "--reference", "web2"}).code, 2);
  EXPECT_EQ(run_steno({"cat", file.path(), "--reference", "web1"}).err,
            "steno: --reference: it is for --shift auto; write both\n");
}

TEST(ShiftAuto, StandsAlone) {
  const TempFile file(log_of_hosts(Shop(8).ask(1'700'000'000, 100).hosts));
  const Ran ran = run_steno({"cat", file.path(), "--shift", "auto", "--shift", "db1=1s"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "steno: --shift: auto estimates the shifts of all hosts; give it alone\n");
}

}  // namespace
}  // namespace steno
