// The log of 'steno scribe': renamed, truncated or full while processes log into it, and rotated by the scribe.
#include <steno/log.h>
#include <steno/session.h>
#include <sys/resource.h>

#include <filesystem>

#include "external_process.h"
#include "live/external_scribe.h"
#include "logfile/file_calls.h"
#include "reader/log_set.h"

namespace steno {
namespace {

using test::log_numbers;
using test::name_of;
using test::patient;
using test::Ran;
using test::run_steno;

class ExternalFileTest : public test::ExternalTest {
 protected:
  static std::set<int> numbers_from(int begin, int end) {
    std::set<int> all;
    for (int i = begin; i < end; ++i) all.insert(all.end(), i);
    return all;
  }
  // The last numbers of those below `end`, `least` of them or more, and nothing is missing between them.
  void expect_end(int end, std::size_t least = 1) const {
    const std::set<int> found = numbers();
    EXPECT_GE(found.size(), least);
    EXPECT_EQ(found, numbers_from(found.empty() ? end : *found.begin(), end));
    const Ran verify = run_steno({"verify", log()});
    EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  }
  // A child that logs `messages`, and a scribe whose files take 64 KiB until lift_limit(): returns when one is full.
  pid_t log_until_full(pid_t scribe, int messages) {
    const rlimit small = {65536, RLIM_INFINITY};
    EXPECT_EQ(::prlimit(scribe, RLIMIT_FSIZE, &small, nullptr), 0);
    const pid_t child = run_child([&] {
      if (!steno::start(patient(log()))) return 1;
      for (int n = 0; n < messages; ++n) STENO_INFO("message {n} of {who}", n, name_of(n * 7919));
      steno::stop();
      return 0;
    });
    EXPECT_TRUE(eventually([&] { return what_scribes_said().find("File too large") != std::string::npos; }));
    return child;
  }
  static void lift_limit(pid_t scribe) {
    const rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    EXPECT_EQ(::prlimit(scribe, RLIMIT_FSIZE, &none, nullptr), 0);
  }
};

TEST_F(ExternalFileTest, ALogThatIsRenamedIsFollowedByANewOne) {
  start_scribe();
  const pid_t child = start(1000);
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  const std::string old = directory_ + "/old.steno";
  ASSERT_EQ(std::rename(log().c_str(), old.c_str()), 0);
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  log_one_more();
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  const Ran verify = run_steno({"verify", old, log()});
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  EXPECT_EQ(run_steno({"cat", "--count", old, log()}).out, "1001\n");
}

TEST_F(ExternalFileTest, AScribeThatCouldNotWriteSaysSoWithItsStatus) {
  const pid_t child = start(100);
  std::filesystem::create_directory(log());  // where the log is to be
  const pid_t first = start_scribe();
  EXPECT_TRUE(eventually([&] { return !what_scribes_said().empty(); }));
  EXPECT_EQ(WEXITSTATUS(end_scribe(first, SIGTERM)), 3);
  EXPECT_NE(what_scribes_said().find(log()), std::string::npos) << what_scribes_said();
  std::filesystem::remove(log());
  const pid_t second = start_scribe();
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(WEXITSTATUS(end_scribe(second, SIGTERM)), 0);
  expect_end(100, 100);
}

// logrotate's `copytruncate` does this: later records can be read without the part that was cut off.
TEST_F(ExternalFileTest, ALogThatIsTruncatedBeginsAnew) {
  start_scribe({"--flush", "0", log()});
  const pid_t child = start(1000);
  EXPECT_TRUE(eventually([&] { return count_without_staging() == "1000\n"; }));
  std::filesystem::resize_file(log(), 0);
  log_one_more();
  end_child(child);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_EQ(numbers().count(1000), 1u);
  const Ran verify = run_steno({"verify", log()});
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
}

TEST_F(ExternalFileTest, TheScribeRotatesBySizeAndOnSighup) {
  const pid_t scribe =
      start_scribe({"--rotate-size", "64KB", "--rotate-name", "{stem}.{n}{ext}", "--flush", "0", log()});
  const std::string stem = log().substr(0, log().rfind('.'));
  const std::string ext = log().substr(log().rfind('.'));
  const auto closed = [&](int n) { return std::filesystem::exists(stem + "." + std::to_string(n) + ext); };
  const pid_t child = start(1000);
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  EXPECT_FALSE(closed(1));
  ::kill(scribe, SIGHUP);
  EXPECT_TRUE(eventually([&] { return closed(1) && size() != 0; }));
  log_one_more();
  end_child(child);
  const pid_t other = run_child([&] {
    if (!steno::start(patient(log()))) return 1;
    for (int n = 0; n < 60'000; ++n) STENO_INFO("number {n} of {who}", n, name_of(n * 7919));
    steno::stop();
    return 0;
  });
  EXPECT_EQ(wait_for(other), 0);
  EXPECT_TRUE(all_is_on_file());
  EXPECT_TRUE(closed(2));
  EXPECT_EQ(run_steno({"cat", "--count", stem + "*" + ext}).out, "61001\n");
  // The line of its clock has its end in the file, so that the next file's begins where it ends.
  reader::LogSet logs;
  ASSERT_TRUE(logs.add(stem + ".1" + ext).ok());
  for (const auto& session : logs.files()[0]->sessions()) {
    ASSERT_FALSE(session->clock_points.empty());
    EXPECT_LE(session->max_clock, session->clock_points.back().ticks);
  }
  const Ran verify = run_steno({"verify", stem + "*" + ext});
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  EXPECT_EQ(end_scribe(scribe, SIGTERM), 0);
  EXPECT_EQ(what_scribes_said(), "");
}

// Somebody makes room: records that the file had not taken begin anew there, with all that is needed to read them.
TEST_F(ExternalFileTest, AFullLogThatIsTruncatedBeginsAnew) {
  constexpr int kMessages = 60'000;
  const pid_t scribe = start_scribe({"--flush", "0", log()});
  const pid_t child = log_until_full(scribe, kMessages);
  std::filesystem::resize_file(log(), 0);
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  lift_limit(scribe);
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(all_is_on_file());
  expect_end(kMessages);
}

// The scribe lets go of a log that its disk has no room for, when it is removed: nothing else might make room.
TEST_F(ExternalFileTest, AFullLogThatIsRemovedMakesWayForANewOne) {
  constexpr int kMessages = 60'000;
  const pid_t scribe = start_scribe({"--flush", "0", log()});
  const pid_t child = log_until_full(scribe, kMessages);
  std::filesystem::remove(log());
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  lift_limit(scribe);
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(all_is_on_file());
  expect_end(kMessages);
  EXPECT_NE(what_scribes_said().find(log() + " was removed; logging continues in a new file"), std::string::npos)
      << what_scribes_said();
}

// A full log that is renamed gets its end when there is room, and no record is lost or in both files.
TEST_F(ExternalFileTest, AFullLogThatIsRenamedGetsItsEndLater) {
  constexpr int kMessages = 60'000;
  const std::string old = directory_ + "/old.steno";
  const pid_t scribe = start_scribe({"--flush", "0", log()});
  const pid_t child = log_until_full(scribe, kMessages);
  ASSERT_EQ(std::rename(log().c_str(), old.c_str()), 0);
  EXPECT_TRUE(eventually([&] { return size() != 0; }));
  EXPECT_NE(run_steno({"verify", old}).code, 0) << "its end found no room";
  lift_limit(scribe);
  EXPECT_TRUE(eventually([&] { return run_steno({"verify", old}).code == 0; }));
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(all_is_on_file());
  const Ran verify = run_steno({"verify", old, log()});
  EXPECT_EQ(verify.code, 0) << verify.out << verify.err;
  EXPECT_EQ(run_steno({"cat", "--count", old, log()}).out, std::to_string(kMessages) + "\n");
}

// Counts the writes of this process's scribe to a disk that is full for a while.
class FullDiskTest : public ExternalFileTest {
 protected:
  static ssize_t refuse(int fd, const void* bytes, std::size_t size) {
    ++writes;
    if (!full) return ::write(fd, bytes, size);
    ++refused;
    errno = ENOSPC;
    return -1;
  }
  static inline int writes = 0;
  static inline int refused = 0;
  static inline bool full = false;
};

// The session has ended: the scribe keeps it, and tries now and then whether there is room.
TEST_F(FullDiskTest, AnEndThatFindsNoRoomIsTriedNowAndThen) {
  logfile::FileCalls calls = logfile::system_file_calls();
  calls.write = refuse;
  const pid_t child = start(100);
  live::ExternalScribeOptions options;
  options.paths = {log()};
  options.roots = {staging_};
  options.attach.flush_interval_ns = 0;
  options.attach.warn = [](const std::string&) {};
  writes = refused = 0;
  using Clock = std::chrono::steady_clock;
  Clock::time_point filled;
  const Clock::time_point give_up = Clock::now() + test::kPatience;
  logfile::set_file_calls(&calls);
  live::ExternalScribe(std::move(options)).run([&] {
    const Clock::time_point now = Clock::now();
    if (filled == Clock::time_point() && writes > 0) {
      filled = now;
      full = true;
      log_one_more();
      ::close(control_);
    } else if (full && now > filled + std::chrono::milliseconds(500)) {
      full = false;
    }
    return staging_here().empty() || now > give_up;
  });
  logfile::set_file_calls(nullptr);
  EXPECT_EQ(wait_for(child), 0);
  expect_end(101, 101);
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 500) << "in half a second";
}

// Truncates the log once before a write of this process's scribe.
class TruncatingScribeTest : public ExternalFileTest {
 protected:
  static ssize_t truncate_and_write(int fd, const void* bytes, std::size_t size) {
    if (++writes == truncate_before && ::ftruncate(fd, 0) != 0) ADD_FAILURE() << "cannot truncate";
    return ::write(fd, bytes, size);
  }
  static inline int writes = 0;
  static inline int truncate_before = 0;
};

TEST_F(TruncatingScribeTest, AtAnyWriteWhatComesThenBeginsAnew) {
  logfile::FileCalls calls = logfile::system_file_calls();
  calls.write = truncate_and_write;
  writes = 1;
  for (truncate_before = 1; truncate_before <= writes; ++truncate_before) {
    SCOPED_TRACE("before write " + std::to_string(truncate_before));
    std::filesystem::remove(log());
    const pid_t child = start(100);
    live::ExternalScribeOptions options;
    options.paths = {log()};
    options.roots = {staging_};
    options.attach.flush_interval_ns = 0;
    options.attach.warn = [this](const std::string& what) {
      EXPECT_EQ(what, log() + " was truncated; logging continues at its new end");
    };
    writes = 0;
    logfile::set_file_calls(&calls);
    int more = 3;
    int before = 0;
    int of_records = 0;  // writes, when all but the last record were on file
    const auto give_up = std::chrono::steady_clock::now() + test::kPatience;
    live::ExternalScribe(std::move(options)).run([&] {
      if (std::chrono::steady_clock::now() > give_up) return true;
      if (writes == before || more < 0) return staging_here().empty();
      before = writes;
      if (more-- > 0) {
        of_records = writes;
        log_one_more();
      } else {
        ::close(control_);
      }
      return false;
    });
    logfile::set_file_calls(nullptr);
    EXPECT_EQ(wait_for(child), 0);
    expect_end(103, truncate_before <= of_records ? 1 : 0);
  }
  EXPECT_GT(writes, 4);
}

}  // namespace
}  // namespace steno
