// A scribe of other processes whose memory fails: it stays, and loses nothing (programs/starved_scribe.cc).
#include <steno/log.h>
#include <steno/session.h>

#include <filesystem>

#include "external_process.h"

namespace steno {
namespace {

using test::Ran;
using test::run_steno;

// Several processes, so that helper threads are called too.
constexpr int kProcesses = 3;
constexpr int kMessages = 3000;

using StarvedScribeTest = test::ExternalTest;

TEST_F(StarvedScribeTest, NoAllocationThatFailsEndsItOrCostsARecord) {
  std::vector<std::pair<long, long>> failures;
  for (long at = 1; at <= 3000; at += 1 + at / 3) failures.emplace_back(at, 1);
  for (const long at : {5L, 40L, 300L}) failures.emplace_back(at, 30);
  bool starved = false;
  for (const auto& [at, count] : failures) {
    std::filesystem::remove(log());
    std::filesystem::remove(said());
    const std::vector<pid_t> children = log_at_once(kProcesses, kMessages);
    const pid_t scribe =
        start_program(STENO_STARVED_SCRIBE, {std::to_string(at), std::to_string(count), log(), staging_});
    for (const pid_t child : children) ASSERT_EQ(wait_for(child), 0) << at << " " << count;
    int status = -1;
    ASSERT_TRUE(eventually([&] { return (status = end_of(scribe)) != -1; })) << at << " " << count;
    EXPECT_EQ(status, 0) << at << " " << count << "\n" << what_scribes_said();
    starved = starved || what_scribes_said().find("no memory") != std::string::npos;
    // It ends when nothing has happened for a while. What a child logged that came later waits for the next one, which
    // would be that of the next log.
    const Ran recovered = run_steno({"recover", log()});
    EXPECT_EQ(recovered.code, 0) << at << " " << count << "\n" << recovered.out;
    EXPECT_EQ(numbers(), numbers_below(kProcesses * kMessages)) << at << " " << count;
    const Ran verify = run_steno({"verify", log()});
    EXPECT_EQ(verify.code, 0) << at << " " << count << "\n" << verify.out << what_scribes_said();
  }
  EXPECT_TRUE(starved);
}

}  // namespace
}  // namespace steno
