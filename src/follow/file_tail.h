// A log file as it grows: what is new since the last look, as blocks that stand for themselves. Follows the path: to
// the new file when it comes to name another one, and back to the start when it is truncated.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/clock_block.h"
#include "format/end_block.h"
#include "format/session_block.h"
#include "reader/block_scanner.h"
#include "reader/log_file.h"
#include "staging/find_staging.h"

struct stat;

namespace steno::follow {

// Keeps the file open only while descriptors are to spare: any number can be followed. One that was let go, and renamed
// between two looks, is found in its directory; where it is not, that counts as passed over.
//
// Not thread-safe. Memory: kMostAtOnce of the file, twice where sessions are packed, or twice its largest block; and
// the dictionaries, shared strings and latest clock points of the sessions that have not ended, and some dozens of
// sessions that others were packed by.
class FileTail {
 public:
  static constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 26;

  // An event of a session in the file: it begins, continues or ends.
  struct Event {
    std::uint64_t session_id = 0;
    std::string staging;
    std::optional<format::EndBlock> end;
  };

  explicit FileTail(std::string path, std::uint64_t most_at_once = kMostAtOnce)
      : path_(std::move(path)), most_at_once_(most_at_once) {}
  ~FileTail();
  FileTail(const FileTail&) = delete;
  FileTail& operator=(const FileTail&) = delete;

  // Opens what is at the path, if anything.
  void open();
  // Goes on after the last data block of a log that was opened at the path after open(); unless that was another file
  // already, which is then read from its start, after the rest of this one.
  void go_on_after(const reader::LogFile& file);
  // Appends the next part, if there is one, and its events of sessions, in order. False: the file has more.
  // Two system calls when there is nothing.
  bool read(ByteBuffer* out, std::vector<Event>* events);
  // Returns whether bytes between blocks were no block, and may have been records. A write that was cut short does not
  // count: what it was to write is in staging.
  bool passed_over() const { return passed_over_; }
  bool is_kept_open() const { return fd_ >= 0; }
  // Returns whether the session has begun in the file and has not ended.
  bool has_open(std::uint64_t session_id) const;
  // The staging directories of sessions that have not ended, as named in the file.
  std::vector<staging::Hint> hints() const;

 private:
  struct Session {
    std::uint64_t id = 0;
    format::SessionTag tag;
    std::string staging;
    bool ended = false;  // when the log was opened; its last blocks may still be to be read
    ByteBuffer session_block;
    ByteBuffer dictionary;  // blocks
    ByteBuffer strings;     // blocks since the last index
    std::vector<format::ClockPoint> points;
  };

  void open_path();
  bool is_it(const struct stat& st) const;
  void take_if_it(int fd);
  void find_renamed();
  bool regain();
  void let_go();
  bool follow_path();
  bool read_on(ByteBuffer* out, std::vector<Event>* events);
  std::uint64_t read_part(std::uint64_t most);
  std::uint64_t bytes_of_no_block() const;
  reader::BlockScanner scanner_of(std::uint64_t size) const;
  void keep(const reader::LogFile& file);
  void take(const reader::ScannedBlock& block, std::vector<Event>* events);
  std::uint64_t give(std::uint64_t end, ByteBuffer* out, std::vector<Event>* events);
  void unpack(const reader::ScannedBlock& block, ByteBuffer* out, std::vector<Event>* events);
  void keep_model(std::span<const std::uint8_t> bare);
  void append_preamble(ByteBuffer* out) const;

  const std::string path_;
  const std::uint64_t most_at_once_;  // more where one block is more
  int fd_ = -1;                       // -1: there is none, or it was let go
  bool known_ = false;                // there is one: the two below
  bool renamed_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint64_t offset_ = 0;                    // all before it was given
  std::uint64_t size_ = 0;                      // at the last look
  std::map<std::uint64_t, Session> sessions_;   // whose blocks may come; by SessionTag::packed()
  std::map<std::uint32_t, ByteBuffer> models_;  // of packed sessions, by number; the latest ones
  std::vector<std::uint32_t> model_numbers_;    // in the order in which they came
  std::uint64_t kept_until_ = 0;                // no block of those that had ended before is after that
  ByteBuffer part_;
  bool passed_over_ = false;
};

}  // namespace steno::follow
