// starved_scribe AT COUNT LOG STAGING: 'steno scribe' of a log in one of whose passes memory fails, at its AT-th
// allocation and at COUNT in a row. Ends when there has been nothing to do for a while, and says whether all is
// written.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../failing_allocator.h"
#include "live/external_scribe.h"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  steno::live::ExternalScribeOptions options;
  options.paths = {argv[3]};
  options.roots = {argv[4]};
  options.threads = 3;
  options.end_when_idle_ns = 100'000'000;
  options.keep_vacant_ns = 0;
  options.attach.flush_interval_ns = 1'000'000;
  options.attach.warn = [](const std::string& what) { std::fprintf(stderr, "%s\n", what.c_str()); };
  steno::live::ExternalScribe scribe(std::move(options));
  steno_test::fail_count = std::atol(argv[2]);
  steno_test::fail_at = std::atol(argv[1]);
  const bool written = scribe.run([] { return false; });
  return written ? 0 : 1;
}
