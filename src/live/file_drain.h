// A StagingDrain into a file: each block is on file before the ring space that it came from is released (ring.md §4.2).
//
//   FileDrain into(view, drain, file);
//   into.begin();
//   while (into.write_next()) {}          // as often as there is something
//   into.finish();                        // the death, losses, the end block
//
// A session of which nothing is on file yet, and which has ended in order, may be written as one (file.md §15):
//
//   into.begin();
//   into.finish_at_once(packer);
//
// The file keeps blocks that it could not write. It is for retry() to write these, and to release the ring space that
// they came from; nothing else is to be called while stuck().
#pragma once

#include "base/bytes.h"
#include "live/staging_drain.h"
#include "logfile/output_file.h"
#include "logfile/session_packer.h"
#include "logfile/session_writer.h"
#include "staging/foreign_staging.h"
#include "steno/status.h"

namespace steno::live {

// Not thread-safe.
class FileDrain {
 public:
  // All must outlive this; the view is one that may be drained.
  FileDrain(staging::ForeignStaging& view, StagingDrain& drain, logfile::OutputFile& file);

  // The session block and what else the file does not have yet go out with the next blocks. Before the first ones, and
  // whenever the file is another. `elsewhere`: as StagingDrain::begin().
  void begin(bool elsewhere = false);
  // Writes what begin() left, without waiting for a block.
  Status write_begun();
  // Writes one block and releases it. False: there was nothing, or the file refuses (status()).
  bool write_next();
  // Requires that nothing is left to drain: appends the end of the session and marks it as ended in the staging.
  Status finish();
  // Writes the end block of a session that continues in another file into the one that it was in.
  Status end_in(logfile::OutputFile& file);
  // Gives up the blocks that the file did not take: their records are to be drained again, for another file.
  void take_back();
  // Returns whether what begin() left still waits, and nothing else of the session has been written since.
  bool is_unwritten() const { return unwritten_; }
  // finish() of a session that is_unwritten(), stopped in order and has no flight recorder: drains it, too, and writes
  // it packed, if it is short.
  Status finish_at_once(logfile::SessionPacker& packer);

  bool stuck() const { return file_.stuck(); }
  // Why the file refused last; ok: it does not.
  const Status& status() const { return status_; }
  Status retry();

 private:
  Status write(const format::BlockInput* input);
  void mark_ended();

  staging::ForeignStaging& view_;
  StagingDrain& drain_;
  logfile::OutputFile& file_;
  logfile::SessionWriter writer_;
  ByteBuffer out_;
  Status status_;
  bool unreleased_ = false;
  bool unwritten_ = false;
};

}  // namespace steno::live
