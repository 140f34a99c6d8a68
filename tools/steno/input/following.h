// Prints logs while they are written.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "exit_code.h"
#include "follow/follower.h"
#include "lines/rate_limit.h"
#include "output/output.h"
#include "output/printing.h"

namespace steno::cli {

class Following {
 public:
  // Makes the format of a file's lines.
  using MakeFormat = std::function<std::unique_ptr<LineFormat>(const std::string& path)>;

  // Adds to `logs` what is there already; a file or a match of a pattern that is not there yet is reported and waited
  // for, a file that cannot be read is reported and raises `code` to kExitUnreadable.
  Following(const std::vector<std::string>& names, reader::LogSet* logs, ExitCode* code);

  // Returns whether there is nothing to follow.
  bool empty() const { return followers_.empty() && patterns_.empty(); }
  // Returns whether lines come, or may come later, from more than one file.
  bool has_several() const { return followers_.size() > 1 || !patterns_.empty(); }
  // Says on standard error that there are files, and that no process is seen that writes one.
  void explain_silence() const;
  // Prints new records that pass the filter (nullptr: all) and that the limit takes, until end_asked() or the output
  // has no reader any more. Files are polled one after another; the records that one poll finds in a file are in the
  // order of time. Unreadable parts are reported once per file and raise `code` to kExitIncomplete. Files that newly
  // match a pattern are printed from their beginning.
  void run(const MakeFormat& make_format, const reader::RowFilter* filter, lines::RateLimit* limit, Output* output,
           ExitCode* code);

 private:
  static constexpr std::int64_t kPatternNs = 250'000'000;  // between two expansions of the patterns

  bool follow(const std::string& path, reader::LogSet* logs, ExitCode* code);
  void follow_new_matches(const MakeFormat& make_format, const reader::RowFilter* filter, Output* output,
                          ExitCode* code);
  bool is_new_file(const std::string& path);
  void note_files();
  bool print(const reader::Slice& slice, const reader::RowFilter* filter, lines::RateLimit& limit, LineFormat& format,
             Output& output);
  void report_damage(const follow::Follower& follower, ExitCode* code);
  const std::vector<std::uint8_t>& wanted(const reader::DecodedBlock& block, const reader::RowFilter& filter);

  const reader::Secrets secrets_;  // as of the constructor's logs
  std::vector<std::unique_ptr<follow::Follower>> followers_;
  bool lacks_files_ = false;  // one is waited for; this has been reported
  std::vector<std::string> patterns_;
  std::set<std::string> paths_;  // all names of the files that are followed
  // Device, inode and time of birth of all files that were seen under these paths: one of them that is renamed, so that
  // its new name matches a pattern, is not a new file. A file system may give the inode of a removed file to a new one.
  std::set<std::tuple<dev_t, ino_t, std::int64_t>> files_;
  std::int64_t patterns_read_ = 0;  // when patterns were last expanded
  std::set<const follow::Follower*> reported_;
  // For one poll: which records of its blocks pass the filter.
  std::unordered_map<const reader::BlockEntry*, std::vector<std::uint8_t>> wanted_;
};

}  // namespace steno::cli
