#include "options/jobs_option.h"

#include "base/parallel.h"
#include "options/option_checks.h"

namespace steno::cli {
namespace {

constexpr std::uint64_t kMostJobs = 1024;

}  // namespace

CLI::Option* add_jobs_option(CLI::App& app) {
  return app.add_option_function<unsigned>("--jobs", set_default_threads, "Number of threads (default: one per core)")
      ->type_name("N")
      ->transform(whole_number(1, kMostJobs));
}

}  // namespace steno::cli
