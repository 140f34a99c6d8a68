#include "runtime/run_time_sites.h"

#include <atomic>
#include <string>

#include "runtime/brace_sites.h"
#include "runtime/format_sites.h"
#include "runtime/hooks.h"

namespace steno::runtime {
namespace {

std::atomic<std::size_t> most_sites{1000};
std::atomic<bool> warned_of_many{false};

}  // namespace

void set_most_run_time_sites(std::size_t most) {
  most_sites = most;
}

std::size_t most_run_time_sites() {
  return most_sites;
}

void warn_of_many_formats() {
  if (warned_of_many.exchange(true)) return;
  warn_of_process("more than " + std::to_string(most_run_time_sites()) +
                  " formats were made at run time; further ones are logged as plain text. Does the program put data "
                  "into its formats? (steno::set_most_formats)");
}

void renew_run_time_sites() {
  brace_sites().after_fork();
  format_sites().after_fork();
}

}  // namespace steno::runtime
