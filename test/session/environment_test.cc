// Tests environment variables as people write them: common spellings mean what they say, and no value switches the log
// off.
#include <fcntl.h>

#include <fstream>

#include "log_test.h"

namespace steno_test {
namespace {

constexpr const char* kVariables[] = {"STENO_CONSOLE", "STENO_SCRIBE", "STENO_SCRIBE_WAIT",
                                      "STENO_LEVEL",   "STENO_CONFIG", "STENO_STAGING"};

class EnvironmentTest : public LogTest {
 protected:
  EnvironmentTest() { clear(); }
  ~EnvironmentTest() override { clear(); }

  static void clear() {
    for (const char* name : kVariables) unsetenv(name);
  }

  struct Outcome {
    bool started = false;
    std::string shown;                  // on standard error
    std::vector<std::string> warnings;  // of start()
    std::size_t records = 0;
  };
  // A session with one variable set, that logs one record.
  Outcome run(const char* name, const std::string& value, steno::Options options = {}) {
    Outcome outcome;
    clear();
    setenv(name, value.c_str(), 1);
    options.path = path();
    std::filesystem::remove(path());
    options.on_warning = [&outcome](const std::string& what) { outcome.warnings.push_back(what); };
    const int before = dup(STDERR_FILENO);
    const int file = open(path("stderr").c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    dup2(file, STDERR_FILENO);
    close(file);
    outcome.started = steno::try_start(options).ok();
    if (outcome.started) {
      STENO_INFO("seen");
      steno::stop();
    }
    dup2(before, STDERR_FILENO);
    close(before);
    outcome.shown = [this] {
      std::ifstream in(path("stderr"));
      return std::string(std::istreambuf_iterator<char>(in), {});
    }();
    if (outcome.started && std::filesystem::exists(path())) outcome.records = read_log(path()).rows.size();
    clear();
    return outcome;
  }
};

TEST_F(EnvironmentTest, SwitchesHaveManySpellings) {
  for (const char* on : {"1", "true", "TRUE", "True", "on", "On", "yes", "YES", "stderr", "STDERR"}) {
    const Outcome outcome = run("STENO_CONSOLE", on);
    EXPECT_EQ(outcome.records, 1u) << on;
    EXPECT_NE(outcome.shown.find("seen"), std::string::npos) << on;
    EXPECT_EQ(outcome.warnings, std::vector<std::string>()) << on;
  }
  for (const char* off : {"0", "false", "FALSE", "off", "Off", "no", "NO"}) {
    steno::Options options;
    options.console = true;
    const Outcome outcome = run("STENO_CONSOLE", off, options);
    EXPECT_EQ(outcome.records, 1u) << off;
    EXPECT_EQ(outcome.shown, "") << off;
    EXPECT_EQ(outcome.warnings, std::vector<std::string>()) << off;
  }
}

TEST_F(EnvironmentTest, WordsMayBeInCapitals) {
  for (const char* way : {"sleep", "SLEEP", "Yield", "spin", "BLOCK"}) {
    const Outcome outcome = run("STENO_SCRIBE_WAIT", way);
    EXPECT_EQ(outcome.records, 1u) << way;
    EXPECT_EQ(outcome.warnings, std::vector<std::string>()) << way;
  }
  EXPECT_EQ(run("STENO_SCRIBE", "THREAD").warnings, std::vector<std::string>());
  in_process_of_its_own([this] {  // in which nobody drains
    steno::Options options;
    options.stop_waits = false;
    const Outcome outcome = run("STENO_SCRIBE", "EXTERNAL", options);
    EXPECT_TRUE(outcome.started);
    EXPECT_EQ(outcome.records, 0u);
    EXPECT_EQ(outcome.warnings, std::vector<std::string>());
  });
}

TEST_F(EnvironmentTest, UnknownValuesWarnAndTheLogGoesOn) {
  const std::pair<const char*, const char*> accepted[] = {{"STENO_CONSOLE", "stdout"},
                                                          {"STENO_SCRIBE", "thread or external"},
                                                          {"STENO_SCRIBE_WAIT", "block, sleep, yield or spin"},
                                                          {"STENO_LEVEL", "DEBUG, INFO"}};
  for (const auto& [name, values] : accepted) {
    for (const std::string& value : {std::string("loud"), std::string("2nd"), std::string(5000, 'x')}) {
      const Outcome outcome = run(name, value);
      EXPECT_EQ(outcome.records, 1u) << name;
      ASSERT_EQ(outcome.warnings.size(), 1u) << name;
      EXPECT_EQ(outcome.warnings[0].find(name), 0u) << outcome.warnings[0];
      EXPECT_NE(outcome.warnings[0].find(value.substr(0, 200)), std::string::npos) << outcome.warnings[0];
      EXPECT_NE(outcome.warnings[0].find(values), std::string::npos) << outcome.warnings[0];
      EXPECT_LT(outcome.warnings[0].size(), 12'000u);
    }
  }
}

TEST_F(EnvironmentTest, FilesThatCannotBeUsedWarnAndTheLogGoesOn) {
  std::ofstream(path("bad.toml")) << "no such key = 1\n";
  std::ofstream(path("large.toml")) << "ring_bytes = \"2 GiB\"\n";
  for (const char* file : {"absent.toml", "bad.toml", "large.toml"}) {
    const Outcome outcome = run("STENO_CONFIG", path(file));
    EXPECT_EQ(outcome.records, 1u) << file;
    ASSERT_EQ(outcome.warnings.size(), 1u) << file;
    EXPECT_EQ(outcome.warnings[0].find("STENO_CONFIG has no effect: "), 0u) << outcome.warnings[0];
    EXPECT_NE(outcome.warnings[0].find(file), std::string::npos) << outcome.warnings[0];
  }
}

// The environment takes no sink, console or clock away from a program that has chosen one.
TEST_F(EnvironmentTest, WhatTheProgramNeedsStays) {
  steno::Options options;
  options.console = true;
  Outcome outcome = run("STENO_SCRIBE", "external", options);
  EXPECT_EQ(outcome.records, 1u);
  EXPECT_NE(outcome.shown.find("seen"), std::string::npos);
  ASSERT_EQ(outcome.warnings.size(), 1u);
  options = {};
  options.clock = steno::Clock::kCoarse;
  outcome = run("STENO_SCRIBE", "external", options);
  EXPECT_EQ(outcome.records, 1u);
  EXPECT_EQ(outcome.warnings.size(), 1u);
  in_process_of_its_own([this] {
    steno::Options external;
    external.scribe = steno::Scribe::kExternal;
    external.stop_waits = false;
    for (const char* value : {"1", "stdout", "0"}) {
      const Outcome one = run("STENO_CONSOLE", value, external);
      EXPECT_TRUE(one.started) << value;
      EXPECT_EQ(one.warnings.size(), *value == '0' ? 0u : 1u) << value;
    }
  });
}

}  // namespace
}  // namespace steno_test
