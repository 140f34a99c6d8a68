// Common parts of tests of whole logs: a directory of their own, and the log read back through the public reader.
#pragma once

#include <gtest/gtest.h>
#include <steno/log.h>
#include <steno/reader.h>
#include <steno/session.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "../sanitizers.h"
#include "../temp_directory.h"

namespace steno_test {

struct Row {
  std::string message;
  std::string thread;
  std::string logger;
  std::string file;
  std::uint64_t tid = 0;
  std::uint32_t line = 0;
  std::int64_t time_ns = 0;
  steno::Level level = steno::Level::kTrace;
};

struct Log {
  std::vector<Row> rows;
  std::vector<std::string> losses;
  std::size_t sessions = 0;
};

// Reads a whole log; fails the test if it cannot be opened.
inline Log read_log(const std::string& path, bool sort = true) {
  Log log;
  auto reader = steno::LogReader::open({path});
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  if (!reader.ok()) return log;
  log.sessions = reader->sessions().size();
  steno::ReadFilter filter;
  filter.sort = sort;
  reader->for_each(filter, [&](const steno::Record& r) {
    Row row;
    row.message = r.message();
    row.thread = r.thread();
    row.logger = r.logger();
    row.file = r.site().file;
    row.line = r.site().line;
    row.tid = r.thread_id();
    row.time_ns = r.time_ns();
    row.level = r.level();
    log.rows.push_back(std::move(row));
  });
  for (const auto& loss : reader->losses()) log.losses.push_back(loss.text);
  return log;
}

// Runs `what` in a forked child that leaves at once after it, without the end of its session; fails if it dies before.
template <class What>
void in_child_that_leaves(const What& what) {
  steno::test::let_scribe_rest();
  const pid_t child = ::fork();
  if (child == 0) {
    what();
    std::_Exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

class LogTest : public ::testing::Test {
 protected:
  ~LogTest() override {
    steno::stop();
    EXPECT_TRUE(steno::set_levels("reset,info").ok());
  }

  std::string path(const std::string& name = "log.steno") const { return directory_ + "/" + name; }

  // Starts the default session on path(), small rings and all levels unless told otherwise.
  void start(steno::Options options = {}) {
    if (options.path.empty()) options.path = path();
    options.level = steno::Level::kTrace;
    const steno::Status status = steno::try_start(options);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  Log finish() {
    steno::stop();
    return read_log(path());
  }

  static std::vector<std::string> messages(const Log& log) {
    std::vector<std::string> all;
    for (const Row& row : log.rows) all.push_back(row.message);
    return all;
  }
  // Ends the session.
  std::vector<std::string> messages() { return messages(finish()); }
  // Ends the session. Of each record "name:type:value" of each argument, "-" where it has none.
  std::vector<std::string> values() {
    steno::stop();
    std::vector<std::string> all;
    auto reader = steno::LogReader::open({path()});
    EXPECT_TRUE(reader.ok());
    reader->for_each([&](const steno::Record& record) {
      std::string line;
      for (std::size_t i = 0; i < record.argument_count(); ++i) {
        const steno::Argument argument = record.argument(i);
        line += std::string(argument.name()) + ":" + static_cast<char>(argument.type()) + ":";
        argument.is_null() ? void(line += '-') : argument.append_text(&line);
        line += ' ';
      }
      all.push_back(line);
    });
    return all;
  }

  // Runs `what` in a process that has not logged yet, and fails if it fails there. For what the first session of a
  // process decides, as how large the ring of a thread may become that goes on in later sessions, or what is said once.
  template <class What>
  void in_process_of_its_own(const What& what) {
    const auto run = [&] {
      what();
      steno::stop();
      std::filesystem::remove_all(directory_);
      std::exit(HasFailure() ? 1 : 0);
    };
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // which begins the program anew
    EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
  }

  const steno::test::TempDirectory made_;
  std::string directory_ = made_.path();
};

}  // namespace steno_test
