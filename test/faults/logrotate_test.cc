// Logs that a real logrotate rotates while threads log, by each of its ways that docs/guide/rotation.md names: every
// record is in one of the files, once.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "numbered.h"

namespace steno_test {
namespace {

constexpr int kLoggingThreads = 2;
constexpr int kRotations = 2;

class LogrotateTest : public LogTest {
 protected:
  void SetUp() override {
    if (access(kLogrotate, X_OK) != 0) GTEST_SKIP() << "there is no " << kLogrotate << " (scripts/bootstrap)";
    steno::Options options;
    options.ring_bytes = 65536;
    options.flush_interval = std::chrono::milliseconds(50);
    options.on_warning = warnings_.listener();
    start(options);
  }

  // Runs it once, whatever the time; `directives` are those for the log.
  void rotate(const std::string& directives) {
    std::filesystem::remove(path("logrotate.conf"));
    std::ofstream(path("logrotate.conf")) << path() << " {\n  rotate 10\n  " << directives << "\n}\n";
    std::filesystem::permissions(path("logrotate.conf"), std::filesystem::perms(0644));  // else it refuses it
    const std::string command = std::string(kLogrotate) + " --force --state " + path("state") + " " +
                                path("logrotate.conf") + " >" + path("said") + " 2>&1";
    const int status = std::system(command.c_str());
    std::ifstream said(path("said"));
    EXPECT_EQ(status, 0) << std::string(std::istreambuf_iterator<char>(said), {});
  }

  bool new_file_has_come() {
    return eventually([&] { return std::filesystem::exists(path()) && std::filesystem::file_size(path()) > 0; });
  }

  // All files of the log, in the order of what is in them.
  std::vector<std::string> files() const {
    std::map<std::int64_t, std::string> by_time;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path()).parent_path())) {
      const std::string name = entry.path().string();
      if (entry.path().filename().string().starts_with("log.")) by_time[first_time(name)] = name;
    }
    std::vector<std::string> out;
    for (const auto& [time, name] : by_time) out.push_back(name);
    return out;
  }

  static std::int64_t first_time(const std::string& file) {
    std::int64_t time = 0;
    const auto take = [&](const steno::Record& record) {
      time = record.time_ns();
      return false;
    };
    auto reader = steno::LogReader::open({file});
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    if (reader.ok()) reader->for_each(take);
    return time;
  }

  // Rotates a few times by renaming. `at_once`: the new file has come when logrotate returns.
  void log_and_rotate(const std::string& directives, bool at_once = false) {
    Producers producers(kLoggingThreads);
    for (int i = 0; i < kRotations; ++i) {
      EXPECT_TRUE(producers.logs(500));
      rotate(directives);
      if (at_once) {
        EXPECT_TRUE(std::filesystem::exists(path()) && std::filesystem::file_size(path()) > 0);
      }
      ASSERT_TRUE(new_file_has_come());
    }
    EXPECT_TRUE(producers.logs(500));
    producers.stop();
    steno::stop();
    counts_ = producers.counts();
    EXPECT_EQ(warnings_.count(), 0u) << warnings_.text();
  }

  std::string ctl(const std::string& order) const {
    return "\n  postrotate\n    " STENO_BINARY " ctl " + path() + " " + order + " --timeout 5m >/dev/null\n  endscript";
  }

  static constexpr const char* kLogrotate = "/usr/sbin/logrotate";
  Warnings warnings_;
  std::vector<std::uint64_t> counts_;
};

TEST_F(LogrotateTest, RenamesAndCreates) {
  log_and_rotate("create");
  EXPECT_EQ(files().size(), kRotations + 1u);
  expect_complete(files(), counts_);
}

TEST_F(LogrotateTest, RenamesAndLeavesTheNewFileToUs) {
  log_and_rotate("nocreate");
  EXPECT_EQ(files().size(), kRotations + 1u);
  expect_complete(files(), counts_);
}

// The scribe is told at once, so the closed file is final before logrotate packs it.
TEST_F(LogrotateTest, TellsTheScribeAndPacks) {
  log_and_rotate("compress" + ctl("flush"), true);
  for (int i = 1; i <= kRotations; ++i) {
    EXPECT_EQ(std::system(("gzip -d " + path() + "." + std::to_string(i) + ".gz").c_str()), 0);
  }
  EXPECT_EQ(files().size(), kRotations + 1u);
  expect_complete(files(), counts_);
}

// Perhaps into more files: where the scribe has seen before the order that the file was renamed.
TEST_F(LogrotateTest, TellsTheScribeToRotate) {
  log_and_rotate("create" + ctl("rotate"), true);
  EXPECT_GE(files().size(), kRotations + 1u);
  expect_complete(files(), counts_);
}

// Records that are logged between its copy and its cut are lost, so none are logged there. Records after the cut stay,
// however soon they come.
TEST_F(LogrotateTest, CopiesAndTruncates) {
  std::uint64_t logged = 0;
  const auto log_some = [&] {
    for (int i = 0; i < 500; ++i) log_number(0, logged++);
    EXPECT_TRUE(steno::flush().ok());
  };
  for (int i = 0; i < kRotations; ++i) {
    log_some();
    log_some();
    rotate("copytruncate");
  }
  log_some();
  steno::stop();
  EXPECT_EQ(files().size(), kRotations + 1u);
  const Tally found = tally(files(), {logged});
  EXPECT_EQ(found.missing, 0u);
  EXPECT_EQ(found.records, logged);
  for (const std::string& file : files()) {
    for (const std::string& loss : read_log(file).losses) {
      EXPECT_TRUE(file != path() && loss.find("has no end") != std::string::npos) << file << ": " << loss;
    }
  }
  EXPECT_EQ(warnings_.count("was truncated"), static_cast<std::size_t>(kRotations)) << warnings_.text();
  EXPECT_EQ(warnings_.count(), static_cast<std::size_t>(kRotations)) << warnings_.text();
}

}  // namespace
}  // namespace steno_test
