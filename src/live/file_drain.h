// A StagingDrain into a file: each block is on file before the ring space that it came from is released (ring.md §4.2).
//
//   FileDrain into(view, drain, file);
//   into.begin();
//   while (into.write_next()) {}          // as often as there is something
//   into.finish();                        // the death, losses, the end block
//
// What the file refuses is kept by it. It is for retry() to write that, and to release what it was made of; nothing
// else is to be called while stuck().
#pragma once

#include "base/bytes.h"
#include "live/staging_drain.h"
#include "logfile/output_file.h"
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
  // What the file did not take is given up: it is to be drained again, for another file.
  void take_back();

  bool stuck() const { return file_.stuck(); }
  // Why the file refused last; ok: it does not.
  const Status& status() const { return status_; }
  Status retry();

 private:
  Status write(const format::BlockInput* input);

  staging::ForeignStaging& view_;
  StagingDrain& drain_;
  logfile::OutputFile& file_;
  logfile::SessionWriter writer_;
  ByteBuffer out_;
  Status status_;
  bool unreleased_ = false;
};

}  // namespace steno::live
