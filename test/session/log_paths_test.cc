// Fields in the paths of logs, and directories that do not exist yet.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/log_paths.h"
#include "log_test.h"
#include "steno/log.h"
#include "steno/session.h"
#include "steno/sink.h"

namespace steno_test {
namespace {

namespace fs = std::filesystem;

// Sets a variable, and removes it in the end.
struct Variable {
  Variable(const char* name, const char* value) : of(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(of); }
  const char* of;
};

std::string expanded(std::string path) {
  const steno::Status status = steno::api::expand_path("path", false, &path);
  return status.ok() ? path : status.message();
}

class LogPathsTest : public LogTest {
 protected:
  ~LogPathsTest() override { steno::stop(); }
};

TEST_F(LogPathsTest, FieldsAreReplaced) {
  const Variable service("STENO_TEST_SERVICE", "shop");
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  EXPECT_EQ(expanded("{pid}.steno"), std::to_string(getpid()) + ".steno");
  EXPECT_EQ(expanded("/x/{program}/a{host}b"),
            "/x/" + fs::read_symlink("/proc/self/exe").filename().string() + "/a" + host + "b");
  EXPECT_EQ(expanded("${STENO_TEST_SERVICE}/${STENO_TEST_SERVICE}.steno"), "shop/shop.steno");
  const std::string date = expanded("{date}");
  EXPECT_EQ(date.size(), 10u) << date;
  EXPECT_EQ(expanded("{time}").substr(0, 2), date.substr(0, 2));
  EXPECT_EQ(expanded("{time}").size(), 19u);
}

TEST_F(LogPathsTest, OtherBracesStay) {
  for (const char* path :
       {"", "app.steno", "a{b", "a}b", "{}", "{ pid }", "{0}", "$HOME/x", "${}", "${a b}", "$", "{a-b}"})
    EXPECT_EQ(expanded(path), path);
}

TEST_F(LogPathsTest, DoubledBracesAreBraces) {
  EXPECT_EQ(expanded("{{run}}/a.steno"), "{run}/a.steno");
  EXPECT_EQ(expanded("${{HOME}}"), "${HOME}");
  for (const char* path : {"", "a", "{pid}", "${HOME}", "{{", "}}", "{}", "{{{pid}}}", "x${{a}}y{b"})
    EXPECT_EQ(expanded(steno::api::escaped_path(path)), path);
}

// A directory has a name in braces, and the path is complete after the start: it is not expanded once more.
TEST_F(LogPathsTest, ACompletePathStaysAsItIs) {
  const std::string directory = path("{run}");
  fs::create_directory(directory);
  const fs::path before = fs::current_path();
  fs::current_path(directory);
  const std::string config = path("steno.toml");
  std::ofstream(config) << "level = \"info\"\n";
  std::vector<std::string> warnings;
  std::mutex mutex;
  steno::Options options;
  options.path = "app.steno";
  options.config = config;
  options.on_warning = [&](const std::string& warning) {
    const std::lock_guard lock(mutex);
    warnings.push_back(warning);
  };
  ASSERT_TRUE(steno::start(options));
  EXPECT_EQ(steno::level(), steno::Level::kInfo);
  std::ofstream(config) << "level = \"debug\"\n";
  for (int i = 0; i < 2000 && steno::level() != steno::Level::kDebug; ++i) usleep(10'000);
  EXPECT_EQ(steno::level(), steno::Level::kDebug);
  STENO_INFO("is here");
  steno::stop();
  fs::current_path(before);
  EXPECT_TRUE(fs::exists(directory + "/app.steno"));
  EXPECT_EQ(warnings, std::vector<std::string>());
}

TEST_F(LogPathsTest, MistakesSayWhatIsWrong) {
  unsetenv("STENO_TEST_SERVICE");
  EXPECT_EQ(expanded("a/${STENO_TEST_SERVICE}.steno"),
            "path is 'a/${STENO_TEST_SERVICE}.steno'; STENO_TEST_SERVICE is not set in the environment");
  EXPECT_EQ(
      expanded("{porgram}.steno"),
      "path is '{porgram}.steno'; there is no {porgram}; a path can have {pid}, {program}, {host}, {date}, {time} "
      "and ${VARIABLE}");
  const steno::Status status = steno::try_start({.path = path("{x}.steno")});
  EXPECT_EQ(status.code(), steno::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("there is no {x}"), std::string::npos) << status.message();
}

TEST_F(LogPathsTest, DirectoriesAreMade) {
  const mode_t before = umask(027);
  const steno::Status status =
      steno::try_start({.path = path("a/b//{program}.steno"),
                        .sinks = {{.path = path("a/c/lines.json"), .format = steno::LineFormat::kJson}}});
  umask(before);
  ASSERT_TRUE(status.ok()) << status.message();
  STENO_INFO("in a new directory");
  steno::stop();
  EXPECT_EQ(read_log(path("a/b/") + program_invocation_short_name + ".steno").rows.size(), 1u);
  EXPECT_GT(fs::file_size(path("a/c/lines.json")), 0u);
  for (const char* made : {"a", "a/b", "a/c"})
    EXPECT_EQ(static_cast<unsigned>(fs::status(path(made)).permissions()), 0750u) << made;
}

TEST_F(LogPathsTest, ADirectoryThatCannotBeMadeIsAnError) {
  const steno::Status status = steno::try_start({.path = "/proc/steno-test/app.steno"});
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("cannot make the directory /proc/steno-test: "), std::string::npos)
      << status.message();
}

TEST_F(LogPathsTest, ASinkHasAModeOfItsOwn) {
  const mode_t before = umask(0);
  const steno::Status status =
      steno::try_start({.path = path(),
                        .sinks = {{.path = path("for-all.log"), .file_mode = 0644}, {.path = path("as-the-log.log")}},
                        .file_mode = 0600});
  umask(before);
  ASSERT_TRUE(status.ok()) << status.message();
  steno::stop();
  EXPECT_EQ(static_cast<unsigned>(fs::status(path("for-all.log")).permissions()), 0644u);
  EXPECT_EQ(static_cast<unsigned>(fs::status(path("as-the-log.log")).permissions()), 0600u);
  EXPECT_EQ(static_cast<unsigned>(fs::status(path()).permissions()), 0600u);
}

}  // namespace
}  // namespace steno_test
