// Logs as they are written, printed as they come.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/follower.h"
#include "exit_code.h"
#include "output.h"
#include "printing.h"

namespace steno::cli {

class Following {
 public:
  // Adds to `logs` what is there already; a file that is not there yet is told and waited for, one that cannot be read
  // is told and raises `code` to kExitUnreadable.
  Following(const std::vector<std::string>& paths, reader::LogSet* logs, ExitCode* code);

  // No file can be followed.
  bool empty() const { return followers_.empty(); }
  // Prints what comes and is wanted (nullptr: all), until end_asked() or nobody reads any more. Files are looked at one
  // after another; what one look finds in each is in the order of time. Where something cannot be read it is told once
  // for each file, and raises `code` to kExitIncomplete.
  void run(const Printing::MakeFormat& make_format, const reader::RowFilter* filter, Output* output, ExitCode* code);

 private:
  bool print(const reader::Slice& slice, const reader::RowFilter* filter, LineFormat& format, Output& output);
  void tell_of_damage(const api::Follower& follower, ExitCode* code);
  const std::vector<std::uint8_t>& wanted(const reader::DecodedBlock& block, const reader::RowFilter& filter);

  std::vector<std::unique_ptr<api::Follower>> followers_;
  std::set<const api::Follower*> told_;
  // Of one look: which records of its blocks are wanted.
  std::unordered_map<const reader::BlockEntry*, std::vector<std::uint8_t>> wanted_;
};

}  // namespace steno::cli
