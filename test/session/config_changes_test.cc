// Configuration files that change while the program runs.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>

#include "config_fixture.h"

namespace steno_test {
namespace {

// Polled, for no second need be waited for.
TEST_F(ConfigTest, ChangesOfLevelsAreInEffectWhileItRuns) {
  std::mutex mutex;
  std::vector<std::string> warnings;
  steno::Options options;
  options.path = path();
  options.config = write(
      "level = \"warn\"\nflush_interval = \"1s\"\n[levels]\nnet = \"debug\"\nold = \"error\"\n"
      "[[sinks]]\npath = \"" +
      path("app.log") + "\"\nlevel = \"error\"\npattern = \"{message}\"\n");
  options.on_warning = [&](const std::string& what) {
    const std::lock_guard lock(mutex);
    warnings.push_back(what);
  };
  ASSERT_TRUE(steno::try_start(options).ok());
  const steno::Logger net = steno::logger("net");
  const steno::Logger old = steno::logger("old");
  EXPECT_EQ(steno::level(), steno::Level::kWarn);
  EXPECT_EQ(net.level(), steno::Level::kDebug);
  EXPECT_EQ(old.level(), steno::Level::kError);
  const auto wait_for = [&](const std::function<bool()>& done) {
    for (int i = 0; i < 6000 && !done(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return done();
  };
  const auto warned = [&] {
    const std::lock_guard lock(mutex);
    return warnings.size();
  };

  write("level = \"nonsense\"\n");
  ASSERT_TRUE(wait_for([&] { return warned() == 1; }));
  EXPECT_EQ(warnings[0].find(path("steno.toml") + ":1:9: level is 'nonsense'; it must be"), 0u) << warnings[0];
  EXPECT_NE(warnings[0].find("; the previous configuration stays in effect"), std::string::npos);
  EXPECT_EQ(steno::level(), steno::Level::kWarn);
  std::filesystem::remove(path("steno.toml"));
  STENO_WARN("not for the sink");
  EXPECT_TRUE(steno::flush().ok());

  write(
      "level = \"info\"\nflush_interval = \"2s\"\nzstd_level = 1\n[levels]\nnet = \"error\"\n"
      "[[sinks]]\npath = \"" +
          path("app.log") + "\"\nlevel = \"info\"\npattern = \"{message}\"\n",
      "new.toml");
  std::filesystem::rename(path("new.toml"), path("steno.toml"));
  ASSERT_TRUE(wait_for([&] { return warned() == 2; }));
  EXPECT_EQ(warnings[1], path("steno.toml") +
                             " has changed: flush_interval, zstd_level will take effect when the program is restarted");
  EXPECT_EQ(steno::level(), steno::Level::kInfo);
  EXPECT_EQ(net.level(), steno::Level::kError);
  EXPECT_EQ(old.level(), steno::Level::kInfo);  // the session's
  STENO_WARN("for the sink");
  steno::stop();
  std::ifstream lines(path("app.log"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(lines), {}), "for the sink\n");
}

// The program's own level is in effect again then.
TEST_F(ConfigTest, ALevelThatIsTakenOutOfTheFileIsReset) {
  steno::Options options;
  options.path = path();
  options.level = steno::Level::kError;
  options.config = write("level = \"debug\"\n");
  ASSERT_TRUE(steno::try_start(options).ok());
  EXPECT_EQ(steno::level(), steno::Level::kDebug);
  const auto becomes = [](steno::Level level) {
    for (int i = 0; i < 6000 && steno::level() != level; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return steno::level() == level;
  };
  write("# nothing\n");
  EXPECT_TRUE(becomes(steno::Level::kError));
  write("levels = \"trace,net=warn\"\n");
  EXPECT_TRUE(becomes(steno::Level::kTrace));
  write("levels = \"net=warn\"\n");
  EXPECT_TRUE(becomes(steno::Level::kError));
  write("level = \"info\"\nlevels = \"trace\"\n");
  EXPECT_TRUE(becomes(steno::Level::kTrace));
  write("level = \"info\"\n");
  EXPECT_TRUE(becomes(steno::Level::kInfo));
  // An option that did not change leaves later calls in effect.
  steno::set_level(steno::Level::kWarn);
  write("level = \"info\"\nlevels = \"net=error\"\n");
  const steno::Logger net = steno::logger("net");
  for (int i = 0; i < 6000 && net.level() != steno::Level::kError; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(net.level(), steno::Level::kError);
  EXPECT_EQ(steno::level(), steno::Level::kWarn);
}

// Its size and time say nothing of the change: looking at it would not find it.
TEST_F(ConfigTest, AFileThatIsWrittenAndClosedIsReadThoughItLooksTheSame) {
  steno::Options options;
  options.path = path();
  options.config = write("level = \"warn\"\n");
  ASSERT_TRUE(steno::try_start(options).ok());
  struct stat before {};
  ASSERT_EQ(stat(options.config.c_str(), &before), 0);
  const int fd = open(options.config.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(pwrite(fd, "level = \"info\"\n", 15, 0), 15);
  const timespec times[] = {before.st_atim, before.st_mtim};
  EXPECT_EQ(futimens(fd, times), 0);
  close(fd);
  for (int i = 0; i < 6000 && steno::level() != steno::Level::kInfo; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(steno::level(), steno::Level::kInfo);
  steno::stop();
}

// Orchestrators swap the files of a directory like this: the link in the file's path leads to another directory.
TEST_F(ConfigTest, ALinkThatLeadsToAnotherFileIsAChange) {
  for (const char* const version : {"one", "two"}) std::filesystem::create_directory(path(version));
  write("level = \"warn\"\n", "one/steno.toml");
  write("level = \"error\"\n", "two/steno.toml");
  std::filesystem::create_directory_symlink("one", path("now"));
  std::filesystem::create_symlink("now/steno.toml", path("steno.toml"));
  steno::Options options;
  options.path = path();
  options.config = path("steno.toml");
  ASSERT_TRUE(steno::try_start(options).ok());
  EXPECT_EQ(steno::level(), steno::Level::kWarn);
  std::filesystem::create_directory_symlink("two", path("next"));
  std::filesystem::rename(path("next"), path("now"));
  for (int i = 0; i < 6000 && steno::level() != steno::Level::kError; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(steno::level(), steno::Level::kError);
  steno::stop();
}

// The settings in effect are those that start() read, not those of the file when the watching began.
TEST_F(ConfigTest, AChangeWhileItStartsIsSeen) {
  steno::Options options;
  options.path = path();
  options.config = write("level = \"warn\"\n");
  bool changed = false;
  options.on_warning = [&](const std::string&) {  // of the rule below, once the file has been read
    if (!std::exchange(changed, true)) write("level = \"debug\" # another size\n");
  };
  setenv("STENO_LEVEL", "net=nonsense", 1);
  const steno::Status status = steno::try_start(options);
  unsetenv("STENO_LEVEL");
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(changed);
  EXPECT_EQ(steno::level(), steno::Level::kWarn);
  for (int i = 0; i < 6000 && steno::level() != steno::Level::kDebug; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(steno::level(), steno::Level::kDebug);
  steno::stop();
}

}  // namespace
}  // namespace steno_test
