// A process that died in a session is told from one that ended in order: before its log is recovered and after that,
// by every command, and once.
#include <steno/reader.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "live_process.h"

namespace steno::test {
namespace {

class DeathTest : public LiveTest {
 protected:
  // Returns the end of each session, as `stat` prints it, in turn.
  std::string ends() const {
    const std::string text = run_steno({"stat", "--json", log()}).out;
    std::string ends;
    for (std::size_t at = 0; (at = text.find("\"end\":", at)) != std::string::npos; ++at) {
      const std::string_view end = std::string_view(text).substr(at, 30);
      ends += end.starts_with("\"end\":false,\"died\":true")    ? "died "
              : end.starts_with("\"end\":true,\"died\":false")  ? "yes "
              : end.starts_with("\"end\":false,\"died\":false") ? "no "
                                                                : "? ";
    }
    return ends;
  }
  std::string messages() const { return without_times(run_steno({"cat", "--pattern", "{message}", log()}).out); }
  std::size_t deaths() const {
    const std::string text = messages();
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(" died at about ", at)) != std::string::npos; ++at) ++found;
    return found;
  }
  void recover() const {
    const Ran ran = run_steno({"recover", log()});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  }
  // Waits for the end of a child that ends by itself.
  void wait_for_end(pid_t child) {
    ::waitpid(child, nullptr, 0);
    std::erase(children_, child);
  }

  // Checks the reports of all commands about a process that was killed after its three records.
  void check_told(pid_t child, const char* when) {
    EXPECT_EQ(ends(), "died ") << when;
    const Ran stat = run_steno({"stat", log()});
    EXPECT_NE(stat.out.find("  died  "), std::string::npos) << when << stat.out;
    EXPECT_EQ(stat.out.find("  yes "), std::string::npos) << when << stat.out;
    const Ran verify = run_steno({"verify", log()});
    EXPECT_EQ(verify.code, 0) << when;
    EXPECT_EQ(verify.out, "complete: 4 records, 1 thread, 1 session, 0 lost; 1 process died\n") << when;
    EXPECT_NE(run_steno({"verify", "--json", log()}).out.find("\"died\":1,"), std::string::npos) << when;
    const std::string all = "message 0 of child\nmessage 1 of child\nmessage 2 of child\n" + death_of(child);
    EXPECT_EQ(messages(), all) << when;
    EXPECT_EQ(without_times(run_steno({"tail", "-n", "1", "--pattern", "{level} {message}", log()}).out),
              "WARN " + death_of(child))
        << when;
    EXPECT_EQ(run_steno({"cat", "--count", "--level", "warn", log()}).out, "1\n") << when;
    const std::string json = run_steno({"cat", "--format", "json", "--level", "warn", log()}).out;
    EXPECT_NE(json.find("\"pid\":" + std::to_string(child)), std::string::npos) << when << json;
    EXPECT_NE(json.find("\"account\":\"everything that it logged is here\""), std::string::npos) << when << json;
    const std::string csv = run_steno({"cat", "--format", "csv", "--level", "warn", log()}).out;
    EXPECT_NE(csv.find("process " + std::to_string(child)), std::string::npos) << when << csv;
    auto reader = LogReader::open({log()});
    ASSERT_TRUE(reader.ok()) << when;
    ASSERT_EQ(reader->sessions().size(), 1u) << when;
    EXPECT_TRUE(reader->sessions()[0].died) << when;
    EXPECT_FALSE(reader->sessions()[0].ended) << when;
    EXPECT_TRUE(reader->losses().empty()) << when;
  }
};

TEST_F(DeathTest, AKilledProcessDidNotEndInOrder) {
  const pid_t child = start(3);
  EXPECT_EQ(ends(), "no ") << "it runs";
  kill(child);
  EXPECT_NE(run_steno({"ps"}).out.find("  died  "), std::string::npos);
  check_told(child, "before recovery");
  EXPECT_EQ(run_steno({"recover", log()}).out.find("recovered 3 records into " + log()), 0u);
  check_told(child, "recovered");
}

TEST_F(DeathTest, TheNextStartReportsIt) {
  const pid_t child = start(3);
  kill(child);
  const pid_t next = start(1);
  EXPECT_EQ(ends(), "died no ");
  EXPECT_EQ(messages(),
            "message 0 of child\nmessage 1 of child\nmessage 2 of child\n" + death_of(child) + "message 0 of child\n");
  ::close(control_);
  wait_for_end(next);
  EXPECT_EQ(ends(), "died yes ");
  EXPECT_EQ(deaths(), 1u);
}

TEST_F(DeathTest, AnOrderlyEndIsNoDeath) {
  const pid_t child = start(3);
  ::close(control_);
  wait_for_end(child);
  EXPECT_EQ(ends(), "yes ");
  EXPECT_EQ(messages(), "message 0 of child\nmessage 1 of child\nmessage 2 of child\n");
  EXPECT_EQ(run_steno({"verify", log()}).out, "complete: 3 records, 1 thread, 1 session, 0 lost\n");
  auto reader = LogReader::open({log()});
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->sessions()[0].ended);
  EXPECT_FALSE(reader->sessions()[0].died);
}

// All of it is on file when it dies, and nothing waits in its rings.
TEST_F(DeathTest, AProcessThatHadWrittenAllDiedNevertheless) {
  const pid_t child = start_with([] {
    STENO_INFO("the last");
    EXPECT_TRUE(steno::flush().ok());
  });
  kill(child);
  EXPECT_EQ(messages(), "the last\n" + death_of(child));
  recover();
  EXPECT_EQ(ends(), "died ");
  EXPECT_EQ(messages(), "the last\n" + death_of(child));
}

TEST_F(DeathTest, AProcessThatLoggedNothingDiedNevertheless) {
  const pid_t child = start_with([] {});
  kill(child);
  EXPECT_EQ(messages(), death_of(child));
  recover();
  EXPECT_EQ(ends(), "died ");
  EXPECT_EQ(messages(), death_of(child));
}

TEST_F(DeathTest, WhoeverLeavesBy_exitHasNotEndedItsSession) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (steno::start({.path = log()})) STENO_INFO("the last");
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  recover();
  EXPECT_EQ(ends(), "died ");
  EXPECT_EQ(deaths(), 1u);
}

TEST_F(DeathTest, WhatIsLoggedAfterAnOrderlyEndIsNoDeath) {
  const pid_t child = start_with([] {
    STENO_INFO("in the session");
    steno::stop();
    STENO_INFO("behind it");
  });
  kill(child);
  EXPECT_NE(run_steno({"ps"}).out.find("  left over  "), std::string::npos);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ends(), "yes ");
    EXPECT_EQ(messages(), "in the session\nbehind it\n");
    recover();
  }
}

TEST_F(DeathTest, TheLastOfSeveralSessionsDied) {
  const pid_t child = start_with([this] {
    STENO_INFO("first");
    steno::stop();
    EXPECT_TRUE(steno::start({.path = log()}));
    STENO_INFO("second");
  });
  kill(child);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ends(), "yes died ");
    EXPECT_EQ(messages(), "first\nsecond\n" + death_of(child));
    recover();
  }
}

// Its end could not be written, but it came to that.
TEST_F(DeathTest, AnOrderlyEndThatFoundNoRoomIsNoDeath) {
  const pid_t child = start_with([] {
    ::signal(SIGXFSZ, SIG_IGN);
    STENO_INFO("there is a ring");
    const rlimit limit = {100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    STENO_INFO("no room for this");
    if (std::freopen("/dev/null", "w", stderr) != nullptr) steno::stop();
  });
  kill(child);
  EXPECT_NE(run_steno({"ps"}).out.find("  left over  "), std::string::npos);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ends(), "yes ");
    EXPECT_EQ(messages(), "there is a ring\nno room for this\n");
    recover();
  }
}

TEST_F(DeathTest, WhatIsMissingIsCounted) {
  const std::uint64_t dropped = 5;
  // No scribe: what finds no room is dropped, and nobody comes to tell it.
  const pid_t drops = ::fork();
  if (drops == 0) {
    if (!steno::start({.path = log(), .ring_bytes = 4096, .when_full = WhenFull::kDrop, .scribe_thread = false})) {
      ::_exit(1);
    }
    const std::string text(500, 'x');
    while (steno::stats().dropped < dropped) STENO_INFO("{}", text);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(drops, nullptr, 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(messages().find("process " + std::to_string(drops) + " (" + ::program_invocation_short_name +
                              ") died at about TIME: 5 of its records are missing\n"),
              std::string::npos)
        << messages();
    EXPECT_EQ(deaths(), 1u);
    EXPECT_EQ(ends(), "died ");
    const Ran verify = run_steno({"verify", log()});
    EXPECT_EQ(verify.code, 1);
    EXPECT_NE(verify.out.find(", 5 lost; 1 process died"), std::string::npos) << verify.out;
    recover();
  }
}

// The time is not that of the recovery, which may come a day later.
TEST_F(DeathTest, TheTimeIsThatOfTheDeath) {
  const std::int64_t before = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  const pid_t child = start(1);
  kill(child);
  const std::int64_t after = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  recover();
  auto reader = LogReader::open({log()});
  ASSERT_TRUE(reader.ok());
  std::int64_t last = 0;
  std::string message;
  reader->for_each([&](const Record& record) {
    last = record.time_ns();
    message = record.message();
  });
  EXPECT_NE(message.find(" died at about "), std::string::npos) << "it is the last record";
  EXPECT_GE(last, before);
  EXPECT_LE(last, after);
}

// A follower shows the death and the records that recovery writes for it as one record.
TEST_F(DeathTest, AFollowerReportsItAtOnceAndOnce) {
  Tail tail(log(), directory_ + "/tail");
  const pid_t child = start(2);
  EXPECT_EQ(tail.wait_for(2), "message 0 of child\nmessage 1 of child\n");
  kill(child);
  const std::string all = "message 0 of child\nmessage 1 of child\n" + death_of(child);
  EXPECT_EQ(without_times(tail.wait_for(3)), all) << "nobody has recovered it";
  recover();
  EXPECT_EQ(messages(), all);
  start(1);
  EXPECT_EQ(without_times(tail.wait_for(4)), all + "message 0 of child\n") << "what was recovered does not come again";
}

}  // namespace
}  // namespace steno::test
