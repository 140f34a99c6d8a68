// The table that ends the demo.
#pragma once

#include <cstdint>
#include <string>

#include "measure.h"
#include "server.h"

namespace kv {

struct Report {
  Options options;
  Run logged;  // the run whose messages are in the file
  Run silent;  // the same work with logging switched off
  CallCost cost;
  double scribe_seconds = 0;  // CPU of the scribe thread during the logged run
  std::uint64_t file_bytes = 0;
  std::uint64_t text_bytes = 0;  // 0: not measured
  std::uint64_t text_lines = 0;

  // Messages in the file, as the program counted them.
  std::uint64_t messages() const { return logged.messages() + cost.messages; }
};

void print(const Report& report);

// "12,345,678"
std::string with_commas(std::uint64_t n);

}  // namespace kv
