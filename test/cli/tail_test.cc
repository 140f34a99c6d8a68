// steno tail, on processes that log meanwhile.
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "../reader/file_builder.h"
#include "live_log.h"

namespace steno::test {
namespace {

constexpr int kLateLine = __LINE__ + 3;

void log_late(int qty) {
  STENO_NOTICE("filled {qty}", qty);
}

class Tail : public LiveLog {
 protected:
  // 'n': a number, one more each time. Then what nothing has before: 't': a thread "late"; 'g': a logger "net.http";
  // 'q': a statement and an argument.
  static void act(char word) {
    static int next = 0;
    if (word == 'n') STENO_INFO("number {n}", next++);
    if (word == 'm') {
      for (int i = 0; i < 3000; ++i) STENO_INFO("number {n}", next++);
    }
    if (word == 't') {
      std::thread([] {
        steno::set_thread_name("late");
        STENO_INFO("from a thread");
      }).join();
    }
    if (word == 'g') STENO_LOG_TO(steno::logger("net.http"), INFO, "from a logger");
    if (word == 'q') {
      log_late(3);
      log_late(9);
    }
  }
  // Returns once the tail prints what is logged now: with -n 0 it begins where the log ends when it comes to read it.
  // Meanwhile the program logs lines of 't', few enough a second for any limit.
  void wait_until_it_follows(Background& tail) {
    tail.wait_until([&](const std::string& text) {
      if (text.find("from a thread") != std::string::npos) return true;
      tell('t');
      ::usleep(200'000);
      return false;
    });
  }
  void tell_all(const std::string& words) {
    for (const char word : words) tell(word);
  }
};

std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "number " + std::to_string(i) + "\n";
  return text;
}

TEST_F(Tail, PrintsTheLastOnesOrAllSinceATime) {
  start(act);
  for (int i = 0; i < 15; ++i) tell('n');
  const auto tail = [this](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"tail", "--pattern", "{message}", log()});
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran.out;
  };
  EXPECT_EQ(tail({}), numbers(5, 15));
  EXPECT_EQ(tail({"-n", "3"}), numbers(12, 15));
  EXPECT_EQ(tail({"-n", "0"}), "");
  EXPECT_EQ(tail({"--since", "start"}), numbers(0, 15));
  EXPECT_EQ(tail({"--since", "1h ago"}), numbers(0, 15));
  EXPECT_EQ(tail({"--since", "now"}), "");
  EXPECT_EQ(tail({"--since", "start", "-n", "2"}), numbers(13, 15));
  EXPECT_EQ(tail({"--where", "n < 4"}), numbers(0, 4));
  EXPECT_EQ(tail({"--grep", "number 1"}), "number 1\n" + numbers(10, 15));
}

TEST_F(Tail, ContextFirstThenWhatComes) {
  start(act);
  for (int i = 0; i < 15; ++i) tell('n');
  Background tail({"tail", "-f", "--since", "1h ago", "--pattern", "{message}", log()});
  EXPECT_EQ(tail.wait_for_lines(15), numbers(0, 15));
  tell('n');
  EXPECT_EQ(tail.wait_for_lines(16), numbers(0, 16));
  tell('m');
  EXPECT_EQ(tail.wait_for_lines(3016), numbers(0, 3016));
  EXPECT_EQ(tail.stop(SIGTERM), 0);
  EXPECT_EQ(tail.text(), numbers(0, 3016));
  EXPECT_EQ(tail.errors(), "");
}

TEST_F(Tail, CatFollowsFromTheFirstRecordOn) {
  start(act);
  for (int i = 0; i < 15; ++i) tell('n');
  Background cat({"cat", "-f", "--pattern", "{message}", log()});
  EXPECT_EQ(cat.wait_for_lines(15), numbers(0, 15));
  tell('n');
  EXPECT_EQ(cat.wait_for_lines(16), numbers(0, 16));
  EXPECT_EQ(cat.stop(SIGTERM), 0);
  Background last({"cat", "-f", "-n", "2", "--pattern", "{message}", log()});
  EXPECT_EQ(last.wait_for_lines(2), numbers(14, 16));
  tell('n');  // who has printed it follows, and catches signals
  EXPECT_EQ(last.wait_for_lines(3), numbers(14, 17));
  EXPECT_EQ(last.stop(SIGTERM), 0);
  EXPECT_EQ(run_steno({"cat", "-n", "2", "--pattern", "{message}", log()}).out, numbers(15, 17));
  EXPECT_EQ(run_steno({"cat", "-f", "--count", log()}).code, 2);
  EXPECT_EQ(run_steno({"cat", "-f", "-"}).code, 2);
  EXPECT_EQ(run_steno({"tail", "-f", "-"}).code, 2);
  for (const char* command : {"cat", "tail"}) {
    const Ran ran = run_shell("timeout 10 $STENO " + std::string(command) + " -f $FILE --shift db1=1s", log());
    EXPECT_EQ(ran.code, 2) << command;
    EXPECT_EQ(ran.out, "steno: --shift: while a log is followed, times stay as they are; use steno cat without -f\n");
  }
}

TEST_F(Tail, DistancesAreFromTheRecordBefore) {
  start(act);
  tell_all("nnn");
  Background tail({"tail", "-f", "--pattern", "{time:delta} {time:relative}", log()});
  tail.wait_for_lines(3);
  for (std::size_t lines = 4; lines < 8; ++lines) {
    tell('n');
    tail.wait_for_lines(lines);
  }
  EXPECT_EQ(tail.stop(SIGTERM), 0);
  std::istringstream words(tail.text());
  double before = 0;
  std::size_t lines = 0;
  for (double delta = 0, relative = 0; words >> delta >> relative; ++lines) {
    EXPECT_NEAR(delta, relative - before, 1.5e-9) << tail.text();
    before = relative;
  }
  EXPECT_EQ(lines, 7u) << tail.text();
}

// Each record is a line or counted in one, whatever the second is that it came in.
TEST_F(Tail, ABusyStatementIsCounted) {
  start(act);
  Background limited({"tail", "-f", "-n", "0", "--max-rate", "10", "--pattern", "{message}", log()});
  Background all({"tail", "-f", "-n", "0", "--max-rate", "0", "--pattern", "{message}", log()});
  wait_until_it_follows(limited);
  wait_until_it_follows(all);
  tell('m');
  tell('m');
  tell('g');
  const auto total = [](const std::string& text) {
    std::istringstream lines(text);
    std::size_t records = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("number ")) ++records;
      if (!line.starts_with("… ")) continue;
      EXPECT_NE(line.find(" more like this in 1 s: tail_test.cc:"), std::string::npos) << line;
      EXPECT_NE(line.find(" 'number {n}'"), std::string::npos) << line;
      std::string digits = line.substr(std::string("… ").size(), line.find(" more") - std::string("… ").size());
      std::erase(digits, ',');
      records += std::stoul(digits);
    }
    return records;
  };
  limited.wait_until([&](const std::string& text) { return total(text) == 6000; });
  limited.wait_for("from a logger\n");
  EXPECT_NE(limited.text().find("from a logger\n"), std::string::npos) << "another statement is not held back";
  all.wait_until([&](const std::string& text) { return total(text) == 6000; });
  EXPECT_EQ(limited.stop(SIGTERM), 0);
  EXPECT_EQ(all.stop(SIGTERM), 0);
  EXPECT_EQ(total(limited.text()), 6000u);
  EXPECT_LT(std::count(limited.text().begin(), limited.text().end(), '\n'), 6000 / 10);
  EXPECT_EQ(all.text().find("more like this"), std::string::npos);
}

TEST_F(Tail, OnATerminalABusyStatementIsCountedByItself) {
  start(act);
  Background tail({"tail", "-f", "-n", "0", "--pattern", "{message}", log()}, Background::On::kTerminal);
  wait_until_it_follows(tail);
  tell('m');
  tail.wait_for(" more like this in 1 s: tail_test.cc:");
  EXPECT_EQ(tail.stop(SIGTERM), 0);
}

TEST_F(Tail, FiltersWhatComes) {
  start(act);
  Background even(
      {"tail", "-f", "--since", "start", "--where", "n >= 1000 and n < 1100", "--pattern", "{message}", log()});
  Background text(
      {"tail", "-f", "--since", "start", "--grep", "number 2.*9$", "--level", "info", "--format", "csv", log()});
  text.wait_for_lines(1);
  EXPECT_EQ(text.text().substr(0, 10), "time,level");
  tell('m');
  EXPECT_EQ(even.wait_for_lines(100), numbers(1000, 1100));
  text.wait_for_lines(112);
  EXPECT_EQ(text.stop(SIGINT), 0);
  EXPECT_EQ(std::count(text.text().begin(), text.text().end(), '\n'), 112);  // 29, 209, 219 .. 299, 2009 .. 2999
  EXPECT_EQ(even.stop(SIGINT), 0);
  EXPECT_EQ(even.text(), numbers(1000, 1100));
}

// It says that nobody writes the log any more, but waits all the same.
TEST_F(Tail, SaysThatNoProcessWritesTheLog) {
  const std::string said = "steno: " + log() + ": no process is seen to write it now; waiting\n";
  for (const bool killed : {false, true}) {
    start(act);
    tell('n');
    killed ? kill() : end();
    Background tail({"tail", "-f", "-n", "1", "--grep", "number", "--pattern", "{message}", log()});
    EXPECT_EQ(tail.wait_for_lines(1), numbers(0, 1));
    for (int i = 0; i < 2000 && tail.errors().empty(); ++i) ::usleep(5000);
    EXPECT_EQ(tail.errors(), said) << killed;
    start(act);
    tell('n');
    EXPECT_EQ(tail.wait_for_lines(2), numbers(0, 1) + numbers(0, 1));
    EXPECT_EQ(tail.stop(SIGTERM), 0);
    EXPECT_EQ(tail.errors(), said) << killed;
    end();
  }
}

// A name that nothing has yet is no mistake with -f, which waits for it; without -f it is one.
TEST_F(Tail, WaitsForNamesThatNothingHasYet) {
  start(act);
  tell('n');
  const std::string site = "tail_test.cc:" + std::to_string(kLateLine);
  const auto follow = [this](const std::string& option, const std::string& value) {
    return std::vector<std::string>{"tail", "-f", option, value, "--pattern", "{message}", log()};
  };
  Background thread(follow("--thread", "late"));
  Background logger(follow("--logger", "net"));
  Background place(follow("--site", site));
  Background argument(follow("--where", "qty > 5"));
  Background* const all[] = {&thread, &logger, &place, &argument};
  const std::vector<std::string> told = {
      "steno: --thread: there is no thread 'late' yet; waiting for it\n",
      "steno: --logger: there is no logger 'net' yet; waiting for it\n",
      "steno: --site: there is no statement '" + site + "' yet",
      "steno: --where: no statement has an argument 'qty' yet",
  };
  for (std::size_t i = 0; i < told.size(); ++i) {
    for (int look = 0; look < 2000 && all[i]->errors().find('\n') == std::string::npos; ++look) ::usleep(5000);
    EXPECT_EQ(all[i]->errors().find(told[i]), 0u) << all[i]->errors();
  }
  tell_all("ntngnqn");
  EXPECT_EQ(thread.wait_for_lines(1), "from a thread\n");
  EXPECT_EQ(logger.wait_for_lines(1), "from a logger\n");
  EXPECT_EQ(place.wait_for_lines(2), "filled 3\nfilled 9\n");
  EXPECT_EQ(argument.wait_for_lines(1), "filled 9\n");
  tell('q');
  EXPECT_EQ(place.wait_for_lines(4), "filled 3\nfilled 9\nfilled 3\nfilled 9\n");
  EXPECT_EQ(argument.wait_for_lines(2), "filled 9\nfilled 9\n");
  for (Background* one : all) {
    EXPECT_EQ(one->stop(SIGTERM), 0);
    const std::string errors = one->errors();
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  }
}

// A damaged part of a file that is followed is reported once, and the records after it are printed.
TEST_F(Tail, ReportsWhatItPassesOver) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "number {n}", "i");
  std::vector<std::size_t> ends;
  for (int n = 0; n < 50; ++n) {
    b.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(n), Args().i32(n));
    if (n % 10 == 9) ends.push_back(b.flush().bytes().size());
  }
  std::string bytes = b.bytes();
  for (const std::size_t block : {0, 2}) bytes[(ends[block] + ends[block + 1]) / 2] ^= 1;
  const auto append = [this, &bytes](std::size_t begin, std::size_t end) {
    std::ofstream(log(), std::ios::binary | std::ios::app) << bytes.substr(begin, end - begin);
  };
  append(0, ends[0]);
  Background tail({"tail", "-f", "-n", "100", "--pattern", "{message}", log()});
  EXPECT_EQ(tail.wait_for_lines(10), numbers(0, 10));
  append(ends[0], ends[2]);
  EXPECT_EQ(tail.wait_for_lines(20), numbers(0, 10) + numbers(20, 30));
  append(ends[2], ends[3]);
  append(ends[3], bytes.size());
  EXPECT_EQ(tail.wait_for_lines(30), numbers(0, 10) + numbers(20, 30) + numbers(40, 50));
  EXPECT_EQ(tail.stop(SIGTERM), 1);
  EXPECT_EQ(tail.text(), numbers(0, 10) + numbers(20, 30) + numbers(40, 50));
  EXPECT_EQ(tail.errors(), "steno: " + log() + ": no process is seen to write it now; waiting\n" + "steno: " + log() +
                               ": part of it cannot be read and was skipped; 'steno verify' shows what\n");
}

TEST_F(Tail, WaitsForAFileWithAnyFilter) {
  Background tail({"tail", "-f", "--where", "qty > 5", "--pattern", "{message}", log()});
  for (int look = 0; look < 2000 && tail.errors().empty(); ++look) ::usleep(5000);
  EXPECT_EQ(tail.errors(), "steno: " + log() + ": no such file; waiting for it\n");
  start(act);
  tell_all("nq");
  EXPECT_EQ(tail.wait_for_lines(1), "filled 9\n");
  EXPECT_EQ(tail.stop(SIGTERM), 0);
}

TEST_F(Tail, FollowsSeveralFiles) {
  start(act);
  tell_all("nn");
  end();
  ASSERT_EQ(std::rename(log().c_str(), (directory_ + "/one.steno").c_str()), 0);
  start(act);
  Background tail({"tail", "-f", "--pattern", "{message}", directory_ + "/*.steno", directory_ + "/later.steno"});
  EXPECT_EQ(tail.wait_for_lines(2), numbers(0, 2));
  tell('n');
  EXPECT_EQ(tail.wait_for_lines(3), numbers(0, 2) + numbers(0, 1));
  start(act, {.path = directory_ + "/later.steno"});
  tell('q');
  EXPECT_EQ(tail.wait_for_lines(5), numbers(0, 2) + numbers(0, 1) + "filled 3\nfilled 9\n");
  EXPECT_EQ(tail.stop(SIGTERM), 0);
}

// Each file is kept open only as long as there are descriptors to spare.
TEST_F(Tail, FollowsMoreFilesThanItMayOpen) {
  constexpr int kFiles = 300;
  const auto path_of = [this](int i) { return directory_ + "/file" + std::to_string(i) + ".steno"; };
  const auto append = [&](int i, std::uint64_t session) {
    FileBuilder b;
    b.session(session).thread(0, 1, "main").site(16, Level::kInfo, "number {n}", "i");
    b.log(0, 16, FileBuilder::kStart + session, Args().i32(static_cast<std::int32_t>(session))).end();
    std::ofstream(path_of(i), std::ios::app | std::ios::binary) << b.bytes();
  };
  for (int i = 0; i < kFiles; ++i) append(i, static_cast<std::uint64_t>(i) + 1);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {64, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  Background tail({"tail", "-f", "-n", "1000", "--pattern", "{message}", directory_ + "/*.steno"});
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  tail.wait_for_lines(kFiles);
  for (const int i : {0, 150, kFiles - 1}) append(i, static_cast<std::uint64_t>(1000 + i));
  std::istringstream lines(tail.wait_for_lines(kFiles + 3));
  EXPECT_EQ(tail.stop(SIGTERM), 0);
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) seen.insert(line);
  EXPECT_EQ(seen.size(), std::size_t{kFiles} + 3) << tail.errors();
  for (const int n : {1, kFiles, 1000, 1150, 1000 + kFiles - 1})
    EXPECT_TRUE(seen.contains("number " + std::to_string(n)));
  EXPECT_EQ(tail.errors(), "steno: no process is seen to write any of these files now; waiting\n");
}

// The pipe is broken before there is anything to write to it.
TEST_F(Tail, EndsWhenNobodyReadsAnyMore) {
  start(act);
  tell('n');
  const Ran ran = run_shell(
      "timeout 30 $STENO tail -f --pattern '{message}' $FILE | grep -m1 number; echo ${PIPESTATUS[0]}", log());
  EXPECT_EQ(ran.out, "number 0\n0\n");
}

TEST_F(Tail, FollowsFilesThatComeToMatchAPattern) {
  Background tail({"tail", "-f", "--pattern", "{message}", directory_ + "/app.*.steno"});
  for (int look = 0; look < 2000 && tail.errors().empty(); ++look) ::usleep(5000);
  EXPECT_EQ(tail.errors(), "steno: " + directory_ + "/app.*.steno: no file matches this pattern; waiting for one\n");
  start(act, {.path = directory_ + "/app.1.steno"});
  tell_all("nn");
  EXPECT_EQ(tail.wait_for_lines(2), numbers(0, 2));
  // A file that is renamed so that it matches goes on as what it is; one that comes then is printed from its beginning.
  ASSERT_EQ(std::rename((directory_ + "/app.1.steno").c_str(), (directory_ + "/app.0.steno").c_str()), 0);
  tell_all("nq");
  EXPECT_EQ(tail.wait_for_lines(5), numbers(0, 3) + "filled 3\nfilled 9\n");
  start(act, {.path = directory_ + "/app.2.steno"});
  tell('q');
  EXPECT_EQ(tail.wait_for_lines(7), numbers(0, 3) + "filled 3\nfilled 9\nfilled 3\nfilled 9\n");
  // Patterns have been looked at again when what comes to match only now is printed.
  start(act, {.path = directory_ + "/app.3.steno"});
  tell('q');
  EXPECT_EQ(tail.wait_for_lines(9), numbers(0, 3) + "filled 3\nfilled 9\nfilled 3\nfilled 9\nfilled 3\nfilled 9\n");
  EXPECT_EQ(tail.stop(SIGTERM), 0);
  EXPECT_EQ(tail.text(), numbers(0, 3) + "filled 3\nfilled 9\nfilled 3\nfilled 9\nfilled 3\nfilled 9\n");
}

// Some file systems give a new file the inode number of a removed one.
TEST_F(Tail, ANewFileWithTheInodeOfARemovedOneIsPrinted) {
  const auto inode_of = [](const std::string& path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 ? st.st_ino : 0;
  };
  const auto write = [this](const std::string& name, int n) {
    FileBuilder b;
    b.session(static_cast<std::uint64_t>(n) + 1).thread(0, 1, "main").site(16, Level::kInfo, "number {n}", "i");
    b.log(0, 16, FileBuilder::kStart + static_cast<std::uint64_t>(n), Args().i32(n)).end();
    const std::string path = directory_ + "/" + name;
    std::ofstream(path, std::ios::binary) << b.bytes();
    return path;
  };
  Background tail({"tail", "-f", "--pattern", "{message}", directory_ + "/app.*.steno"});
  for (int look = 0; look < 2000 && tail.errors().empty(); ++look) ::usleep(5000);
  const std::string first = write("app.0.steno", 0);
  const ino_t removed = inode_of(first);
  EXPECT_EQ(tail.wait_for_lines(1), numbers(0, 1));
  std::filesystem::remove(first);
  write("app.0.steno", 1);  // it is another file, and nobody has the removed one open any more when this one is read
  EXPECT_EQ(tail.wait_for_lines(2), numbers(0, 2));
  std::string next;
  for (int round = 0; round < 100 && inode_of(next) != removed; ++round) {
    next = write("next." + std::to_string(round), 2);
    ::usleep(1000);
  }
  if (inode_of(next) != removed) GTEST_SKIP() << "this file system has other numbers for new files";
  std::filesystem::rename(next, directory_ + "/app.1.steno");
  EXPECT_EQ(tail.wait_for_lines(3), numbers(0, 3));
  EXPECT_EQ(tail.stop(SIGTERM), 0);
}

// The reader of the pipe lives, but does not read.
TEST_F(Tail, ASignalEndsItWhileItWaitsForRoom) {
  start(act);
  Background tail({"tail", "-f", "-n", "0", log()});
  ::usleep(200'000);
  for (int i = 0; i < 10; ++i) tell('m');  // more than the largest pipe has room for
  int waiting = -1;
  for (int look = 0; look < 100; ++look) {
    int now = 0;
    ASSERT_EQ(::ioctl(tail.fd(), FIONREAD, &now), 0);
    if (now != 0 && now == waiting) break;
    waiting = now;
    ::usleep(100'000);
  }
  ::kill(tail.pid(), SIGINT);
  siginfo_t ended{};
  for (int look = 0; look < 2000 && ended.si_pid == 0; ++look) {
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(tail.pid()), &ended, WEXITED | WNOWAIT | WNOHANG), 0);
    ::usleep(5000);
  }
  EXPECT_EQ(ended.si_pid, tail.pid()) << "it waits for a reader";
  EXPECT_EQ(tail.stop(0), 0) << tail.errors();
}

TEST_F(Tail, SaysWhichOfSeveralFilesALineIsOf) {
  const std::string one = directory_ + "/one.steno";
  const std::string two = directory_ + "/two.steno";
  start(act, {.path = one});
  tell('n');
  start(act, {.path = two});
  tell('n');
  Background text({"tail", "-f", one, two});
  Background json({"tail", "-f", "--format", "json", one, two});
  Background csv({"tail", "-f", "--format", "csv", one, two});
  Background single({"tail", "-f", one});
  for (Background* several : {&text, &json}) several->wait_for_lines(2);
  csv.wait_for_lines(3);
  tell('n');
  const auto nth_line = [](const std::string& lines, std::size_t n) {
    std::size_t at = 0;
    while (n-- != 0) at = lines.find('\n', at) + 1;
    return lines.substr(at, lines.find('\n', at) - at);
  };
  for (std::size_t n = 0; n < 3; ++n) {
    const std::string& path = n == 0 ? one : two;
    EXPECT_EQ(nth_line(text.wait_for_lines(3), n).find(path + ": 20"), 0u) << text.text();
    EXPECT_EQ(nth_line(json.wait_for_lines(3), n).find("{\"path\":\"" + path + "\",\"time\":"), 0u) << json.text();
    EXPECT_EQ(nth_line(csv.wait_for_lines(4), n + 1).find(path + ",20"), 0u) << csv.text();
  }
  EXPECT_EQ(nth_line(csv.text(), 0).find("path,time,"), 0u);
  EXPECT_EQ(single.wait_for_lines(1).find("20"), 0u);
}

TEST_F(Tail, MistakesEndIt) {
  start(act);
  tell('n');
  const auto expect = [this](std::vector<std::string> arguments, int code, const std::string& error) {
    arguments.insert(arguments.begin(), "tail");
    arguments.push_back(log());
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, code) << error;
    EXPECT_EQ(ran.out, "") << error;
    EXPECT_NE(ran.err.find(error), std::string::npos) << ran.err;
  };
  for (const std::string f : {"-f", "--local"}) {  // followed or not
    expect({f, "--grep", "("}, 2, "--grep: '(' is not a valid regular expression: missing )");
    expect({f, "--where", "n >"}, 2, "--where");
    expect({f, "--where", "n == \"x\""}, 2, "--where: 'n' is a number");
    expect({f, "--since", "teatime"}, 2, "--since: 'teatime' is not a time");
    expect({f, "--level", "loud"}, 2, "--level: there is no level 'loud'");
    expect({f, "--pattern", "{tmie}"}, 2, "there is no field 'tmie'");
  }
  expect({"--where", "qty > 5"}, 2, "--where: no statement has an argument 'qty'; choose from 'n'");
  expect({"--site", "x.cc:5"}, 2, "--site: there is no statement 'x.cc:5'");
  // Nothing else can be followed: it would wait for ever.
  EXPECT_EQ(run_steno({"tail", "-f", directory_}).code, 3);
}

}  // namespace
}  // namespace steno::test
