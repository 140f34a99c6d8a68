// The staging directories of spec/vectors/staging: what `check-ring` says of them, and what recovery makes of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "golden.h"
#include "run_command.h"

namespace steno {
namespace {

namespace fs = std::filesystem;
using test::expect_golden;
using test::Ran;
using test::run_steno;

const std::string kStaging = STENO_SOURCE_DIR "/spec/vectors/staging/";

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = 0; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

class StagingVectors : public testing::TestWithParam<std::string> {
 protected:
  StagingVectors() {
    char directory[] = "/tmp/steno-vectors-XXXXXX";
    place_ = mkdtemp(directory);
    staging_ = place_ + "/4242-0123456789abcdef";
    fs::copy(kStaging + GetParam(), staging_);
    fs::permissions(staging_, fs::perms::owner_all);
    for (const auto& file : fs::directory_iterator(staging_))
      fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  }
  ~StagingVectors() override { fs::remove_all(place_); }

  std::string text_of(const Ran& ran) const {
    return without(without(ran.out + ran.err, staging_), place_ + "/") + "exit code " + std::to_string(ran.code) + "\n";
  }

  std::string place_;
  std::string staging_;
};

TEST_P(StagingVectors, AreCheckedAndRecoveredAsExpected) {
  expect_golden(kStaging + GetParam() + ".check.txt", text_of(run_steno({"check-ring", staging_})));
  const std::string log = place_ + "/log.steno";
  std::string text = text_of(run_steno({"recover", "--staging", staging_, "--output", log}));
  if (fs::exists(log)) {
    text += text_of(run_steno({"cat", "--pattern", "{time} {level} {thread} {args} {message}", log}));
    text += text_of(run_steno({"verify", log}));
  }
  expect_golden(kStaging + GetParam() + ".txt", text);
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kStaging)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}
INSTANTIATE_TEST_SUITE_P(Spec, StagingVectors, testing::ValuesIn(names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace steno
