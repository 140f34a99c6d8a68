// clocks, run as a command: the options that it prints bring all pairs into order, each host has one, and a shell that
// gets them passes them on as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "../query/claims_log.h"
#include "../reader/file_builder.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_shell;
using test::run_steno;
using test::TempFile;

constexpr std::int64_t kBegin = FileBuilder::kStart;

struct Letter {
  std::string from;
  std::string to;
  std::int64_t sent;  // by the sender's clock
  std::int64_t came;  // by the receiver's
};

std::string log_of_letters(const std::vector<Letter>& letters) {
  std::map<std::string, std::vector<std::pair<std::uint32_t, std::size_t>>> of_hosts;  // statement and letter
  for (std::size_t i = 0; i < letters.size(); ++i) {
    of_hosts[letters[i].from].emplace_back(16, i);
    of_hosts[letters[i].to].emplace_back(17, i);
  }
  FileBuilder b;
  std::uint64_t id = 1;
  for (const auto& [host, records] : of_hosts) {
    format::SessionBlock block;
    block.session_id = id++;
    block.start_wall = kBegin;
    block.clock_kind = 3;
    block.program = "post";
    block.host = host;
    b.session(block).thread(0, 1, "main");
    b.site(16, Level::kInfo, "sent {id}", "i").site(17, Level::kInfo, "came {id}", "i");
    for (const auto& [site, letter] : records) {
      const std::int64_t time = site == 16 ? letters[letter].sent : letters[letter].came;
      b.log(0, site, static_cast<std::uint64_t>(time), Args().i32(static_cast<std::int32_t>(letter)));
    }
    b.end();
  }
  return b.bytes();
}

Ran ask_clocks(const TempFile& file, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"clocks", file.path(), "sent", "came", "--key", "id"});
  return run_steno(more);
}

// The words of the last line, if it has options.
std::vector<std::string> options_in(const std::string& out) {
  const std::size_t begin = out.rfind("\n--shift ");
  if (begin == std::string::npos) return {};
  std::istringstream line(out.substr(begin + 1));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  return words;
}

// "--shift", "a=-5ns": by host. A host that comes twice is a failure.
std::map<std::string, std::int64_t> shifts_in(const std::vector<std::string>& options) {
  std::map<std::string, std::int64_t> shifts;
  for (std::size_t i = 1; i < options.size(); i += 2) {
    EXPECT_EQ(options[i - 1], "--shift");
    const std::size_t equals = options[i].rfind('=');
    EXPECT_TRUE(shifts.emplace(options[i].substr(0, equals), std::stoll(options[i].substr(equals + 1))).second)
        << options[i];
  }
  return shifts;
}

void expect_order(const std::vector<Letter>& letters, const std::string& why) {
  const TempFile file(log_of_letters(letters));
  const Ran ran = ask_clocks(file);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(std::min(ran.out.find("no shift"), ran.out.find("no one shift")), std::string::npos) << why << ran.out;
  const std::vector<std::string> options = options_in(ran.out);
  std::map<std::string, std::int64_t> shifts = shifts_in(options);
  for (const Letter& letter : letters) {
    ASSERT_GE(letter.came + shifts[letter.to], letter.sent + shifts[letter.from])
        << why << letter.from << " to " << letter.to << "\n"
        << ran.out;
  }
  const Ran again = ask_clocks(file, options);
  EXPECT_EQ(options_in(again.out), std::vector<std::string>()) << why << again.out << again.err;
}

// Letters of random ways between hosts whose clocks are apart.
std::vector<Letter> random_letters(std::mt19937_64& random) {
  const std::vector<std::string> names = {"web1", "zb1", "web2", "db1", "a", "m", "cache", "q7"};
  const std::size_t hosts = 2 + random() % 7;
  const auto up_to = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(most) + 1));
  };
  std::vector<std::int64_t> ahead;
  for (std::size_t i = 0; i < hosts; ++i) ahead.push_back(random() % 3 == 0 ? 0 : up_to(4'000'000'000) - 2'000'000'000);
  std::vector<Letter> letters;
  const std::size_t ways = 1 + random() % (2 * hosts);
  for (std::size_t way = 0; way < ways; ++way) {
    const std::size_t from = random() % hosts;
    const std::size_t to = (from + 1 + random() % (hosts - 1)) % hosts;
    const bool both = random() % 3 != 0;
    for (std::uint64_t i = random() % 20 + 1; i != 0; --i) {
      const bool back = both && i % 2 == 0;
      const std::int64_t at = kBegin + 3'000'000'000 + up_to(1'000'000'000);
      const std::int64_t takes = up_to(random() % 2 == 0 ? 3 : 3'000'000);
      const std::size_t sender = back ? to : from;
      const std::size_t receiver = back ? from : to;
      letters.push_back({names[sender], names[receiver], at + ahead[sender], at + takes + ahead[receiver]});
    }
  }
  return letters;
}

TEST(ClocksProperty, EachHostGetsOneShiftAndAllPairsComeInOrder) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 40; ++i) expect_order(random_letters(random), "case " + std::to_string(i) + ": ");
}

// Two clients of a server whose clock is ahead: one wrong clock is one option, whatever the hosts' names are.
TEST(Clocks, AServerOfTwoClientsIsShiftedOnce) {
  const auto letters = [](const std::string& client, std::int64_t there, std::int64_t back) {
    return std::vector<Letter>{{client, "zb1", kBegin, kBegin + 1'700'000'000 + there},
                               {"zb1", client, kBegin + 1'700'000'000, kBegin + back}};
  };
  std::vector<Letter> all = letters("web1", 100, 200);
  const std::vector<Letter> others = letters("web2", 3000, 8000);
  all.insert(all.end(), others.begin(), others.end());
  expect_order(all, "");
  const TempFile file(log_of_letters(all));
  EXPECT_EQ(options_in(ask_clocks(file).out), (std::vector<std::string>{"--shift", "zb1=-1699999950ns"}));
}

// The shifts of two hosts are both told against one clock, not against the other host's.
TEST(Clocks, ShiftsAddUpAlongAChain) {
  const std::vector<Letter> chain = {{"a", "b", kBegin, kBegin + 1000},
                                     {"b", "a", kBegin + 1000, kBegin},
                                     {"b", "c", kBegin, kBegin + 500},
                                     {"c", "b", kBegin + 500, kBegin},
                                     {"x", "y", kBegin, kBegin - 7}};
  expect_order(chain, "");
  const TempFile file(log_of_letters(chain));
  EXPECT_EQ(options_in(ask_clocks(file).out),
            (std::vector<std::string>{"--shift", "b=-1000ns", "--shift", "c=-1500ns", "--shift", "y=7ns"}));
}

// Each two hosts agree, the three do not: no options, and it is said.
TEST(Clocks, AContradictionOfThreeHostsIsSaid) {
  const TempFile file(log_of_letters({{"a", "b", kBegin + 10, kBegin},
                                      {"b", "c", kBegin + 10, kBegin},
                                      {"c", "a", kBegin + 10, kBegin},
                                      {"x", "y", kBegin + 10, kBegin}}));
  const std::string out = ask_clocks(file).out;
  EXPECT_NE(out.find("\na, b, c: no shifts fit all pairs together"), std::string::npos) << out;
  EXPECT_EQ(options_in(out), (std::vector<std::string>{"--shift", "y=10ns"}));
}

// A log file says what its host is called; the option is to be pasted into a shell.
TEST(Clocks, NamesOfHostsAreQuotedForTheShell) {
  for (const std::string host : {"x;ls", "x y", "x'y", "$(ls)", "x=1", "*", "caf\xc3\xa9"}) {
    const TempFile file(log_of_letters({{"", host, kBegin + 10, kBegin}}));
    const std::string out = ask_clocks(file).out;
    const std::size_t begin = out.rfind("\n--shift ");
    ASSERT_NE(begin, std::string::npos) << out;
    const TempFile option(out.substr(begin + 1));
    EXPECT_EQ(run_shell("eval \"printf '%s,' $(cat $FILE)\"", option.path()).out, "--shift," + host + "=10ns,");
  }
  const TempFile file(log_of_letters({{"a", "b\x1b[1m\nc", kBegin + 10, kBegin}}));
  const std::string out = ask_clocks(file).out;
  EXPECT_EQ(out.find('\x1b'), std::string::npos) << out;
  EXPECT_EQ(options_in(out), std::vector<std::string>());
  EXPECT_NE(out.find("\nb\\x1b[1m\\nc: its times are 10 ns too early; no option can name it\n"), std::string::npos)
      << out;
}

TEST(Clocks, AHostIsShiftedOnce) {
  const TempFile file(log_of_letters({{"a", "b", kBegin + 10, kBegin}}));
  const Ran ran = run_steno({"cat", file.path(), "--shift", "b=1s", "--shift", "b=2s"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "steno: --shift: host 'b' is given twice\n");
}

// A word that names no file is read as a statement, so that a misspelt file makes too many of them.
TEST(Clocks, AMisspeltFileIsNamed) {
  const TempFile file(log_of_letters({{"a", "b", kBegin, kBegin}}));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"web.1.sten", "sent", "came"}, {"web.1.sten", "b.sten", "sent", "came"}}) {
    std::vector<std::string> all = {"clocks"};
    if (words.size() % 2 != 0) all.push_back(file.path());
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--key", "id"});
    const Ran ran = run_steno(all);
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("; 'web.1.sten' is no file, so it was read as a statement\n"), std::string::npos) << ran.err;
  }
  const Ran unknown = run_steno({"clocks", file.path(), "b.sten", "c.sten", "sent", "came", "--key", "id"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("'b.sten'"), std::string::npos) << unknown.err;
}

// A block of the first two statements that cannot be read is reported when those of the way back can.
TEST(Clocks, FailuresOfBothWaysAreReported) {
  FileBuilder b;
  b.session().thread(0, 1, "main");
  b.site(16, Level::kInfo, "sent {id}", "i").site(17, Level::kInfo, "came {id}", "i");
  b.site(18, Level::kInfo, "answered {id}", "i").site(19, Level::kInfo, "answer {id} came", "i");
  for (const std::uint32_t site : {16u, 18u}) {
    for (std::int32_t i = 0; i < 1000; ++i) {
      const std::uint64_t at = kBegin + static_cast<std::uint64_t>(i) * 10;
      b.log(0, site, at, Args().i32(i * 37 % 100)).log(0, site + 1, at + 1, Args().i32(i * 37 % 100));
    }
    b.flush();
  }
  const std::string bytes = b.end().bytes();
  for (std::size_t block = 0; block < 2; ++block) {
    const TempFile file(test::with_zone(bytes, block, 0, -7, -5));
    const Ran ran =
        run_steno({"clocks", file.path(), "sent", "came {id}", "answered", "answer {id} came", "--key", "id"});
    EXPECT_EQ(ran.code, 1) << block;
    EXPECT_NE(ran.err.find("outside of the zone"), std::string::npos) << block << ran.err;
  }
}

}  // namespace
}  // namespace steno
