// Golden outputs: compared, or rewritten when STENO_UPDATE_GOLDEN=1 is in the environment.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "../reader/temp_file.h"

namespace steno::test {

inline const std::string kGolden = STENO_SOURCE_DIR "/test/cli/golden/";

inline bool updates_golden() {
  const char* update = std::getenv("STENO_UPDATE_GOLDEN");
  return update != nullptr && std::string(update) == "1";
}

inline void expect_golden(const std::string& path, const std::string& text) {
  if (updates_golden()) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path);
  ASSERT_TRUE(in.good()) << path
                         << " is missing; run with STENO_UPDATE_GOLDEN=1 to write it, and read it before you commit";
  EXPECT_EQ(read_file(path), text) << "differs from " << path;
}

}  // namespace steno::test
