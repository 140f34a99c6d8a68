// Tests of configuration files begin with this.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "api/config_file.h"
#include "api/toml_tree.h"
#include "log_test.h"

namespace steno_test {

class ConfigTest : public LogTest {
 protected:
  void SetUp() override {
    if (steno::api::parse_toml("").status().code() == steno::StatusCode::kUnsupported)
      GTEST_SKIP() << "steno was built without toml++";
  }
  ~ConfigTest() override {
    steno::stop();
    unsetenv("STENO_CONFIG");
  }

  std::string write(const std::string& text, const std::string& name = "steno.toml") const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  // Returns the error of a file, without its path.
  std::string problem_of(const std::string& text) const {
    steno::Options options;
    const auto file = steno::api::read_config_file(write(text), &options);
    if (file.ok()) return "";
    const std::string start = path("steno.toml") + ":";
    return file.status().message().substr(file.status().message().find(start) == 0 ? start.size() : 0);
  }
};

}  // namespace steno_test
