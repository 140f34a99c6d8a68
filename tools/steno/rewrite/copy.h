// Copies records of logs into a new one, session by session.
#pragma once

#include <cstdint>
#include <vector>

#include "base/work_meter.h"
#include "logfile/output_file.h"
#include "reader/decode_failure.h"
#include "reader/log_set.h"
#include "reader/row_filter.h"
#include "rewrite/batch.h"
#include "steno/status.h"

namespace steno::cli {

// A rewriting of a dictionary's entries and of records' values. Its functions are called once for each entry.
class Rewriting {
 public:
  virtual ~Rewriting() = default;
  // The entry of a statement, and what becomes of its values: Change::kBlank for secrets that the reader does not show.
  virtual wire::SiteInfo site(const reader::Site& site, std::vector<Change>* changes) const;
  // A name, or a text of the session block.
  virtual void name(std::string* /*text*/) const {}
  virtual const TextPatterns* patterns() const { return nullptr; }
};

struct CopyRules {
  const reader::RowFilter* filter = nullptr;  // nullptr: all records
  const Rewriting* rewriting = nullptr;       // nullptr: as they are
  bool new_sessions = false;                  // they get ids of their own, and forget where their staging was
  // Records of a ring get numbers without gaps; what is left out counts as written to another file (file.md §3).
  bool renumber = false;
  std::uint32_t block_records = 1u << 16;
  std::size_t block_bytes = std::size_t{1} << 24;
  int zstd_level = 0;
  unsigned rehearsals = 0;  // how often the first block of a session is made beforehand, so that codecs are known
  WorkMeter* meter = nullptr;
};

struct Copied {
  std::uint64_t records = 0;
  std::uint64_t left_out = 0;    // that the filter did not choose
  std::uint64_t sessions = 0;    // that are in the new file
  std::uint64_t undeclared = 0;  // chosen, but nobody knows the types of their values, so they are not in the new file
  std::uint64_t missing_strings = 0;
  std::vector<reader::DecodeFailure> failures;  // blocks of which nothing is in the new file
};

// Sessions without any chosen record are left out. Those of one id become one session unless they get new ids. Fails as
// OutputFile::write() does. Memory: that of a block before and after. Throws WorkStopped if the meter was stopped.
Result<Copied> copy_logs(const reader::LogSet& logs, const CopyRules& rules, logfile::OutputFile* out);

}  // namespace steno::cli
