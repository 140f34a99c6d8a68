// The scribe's file: its session block, and what its log asks for when it goes on in another file.
#include "base/kill_point.h"
#include "drain/session_info.h"
#include "format/session_block.h"
#include "ring/release.h"
#include "ring/ring_access.h"
#include "ring/session_access.h"
#include "scribe/scribe.h"

namespace steno::scribe {
namespace {

constexpr const char* kNoFile = "/dev/null";

}  // namespace

Status Scribe::open_file() {
  // Without a path (sinks only) everything is done as if there were a file.
  const std::string path = has_file() ? options_.path : kNoFile;
  const auto warn_of = [this](const std::string& what) { warn(what); };
  if (Status status = log_.open(path, {options_.file_mode, options_.rotation, warn_of}); !status.ok()) return status;
  return log_.rotate_earlier();
}

Status Scribe::write_session_block() {
  format::SessionBlock block = drain::session_info(core_.session(), core_.staging().path());
  if (!ticks_are_wall(core_options_.clock)) block.ns_per_tick = drain_.clock().ns_per_tick();
  drain_.begin_session(block.session_id, ring::count_consumer(core_.session()));
  session_writer_.begin(block.session_id, drain_.tag());
  out_.clear();
  format::append_session_block(out_, block);
  update_clock(true);
  drain_.append_points(out_);
  const Status status = write_out(file_, nullptr);
  STENO_KILL_POINT("scribe.session_block_written");
  return status;
}

// Writes out_ into `file`; `input` is what the data block in out_ was made of.
Status Scribe::write_out(logfile::OutputFile& file, const format::BlockInput* input) {
  const Status status = session_writer_.write(file, out_, input);
  if (session_writer_.take_stretch_end()) drain_.begin_stretch();
  return status;
}

bool Scribe::write_all() {
  if (look(true) == Due::kNow) write_blocks();
  return !file_.stuck();
}

void Scribe::go_on() {
  note_bytes();
  core_.renew(file_.identity());
  begin_file();
  const std::uint64_t before = file_.end();
  const Status status = write_session_block();
  log_.began(before);
  note_write(status);
  finish_announced();
}

// Before anything else is drained: what was logged until then belongs into the file that is closed. `followed`:
// somebody else has just rotated it.
void Scribe::rotate_if_due(bool followed) {
  const bool asked = rotate_asked_.exchange(false, std::memory_order_acq_rel);
  if (!asked && !log_.rotation_is_due()) return;
  if (!file_.stuck()) (void)write_all();
  if (asked && feed_ != nullptr) feed_->rotate(looked_ticks_, looked_at_);
  Status status;
  if (followed && !file_.stuck()) {
    log_.skip_rotation();
  } else if (asked || log_.rotation_is_due()) {
    status = log_.rotate();
  }
  if (!asked) return;
  const std::lock_guard lock(flush_mutex_);
  rotate_status_ = status;
}

void Scribe::note_bytes() {
  bytes_.store(log_.bytes_written(), std::memory_order_relaxed);
}

// Moves the cursors back to the last release: what was walked beyond it and is not on file is walked again.
void Scribe::rewind() {
  unreadable_bytes_ = 0;
  for (std::uint32_t i = 0; i < rings_.size(); ++i) {
    drain::DrainedRing& drained = rings_[i];
    runtime::Ring& ring = core_.rings().at(i);
    const ring::RingHeader* header = ring.memory.header;
    const ring::Release& last = ring::last_release(header);
    records_.fetch_sub(drained.cursor.seq - last.seq, std::memory_order_relaxed);
    drained.rewind(last);
    ring.owner = ring::owner_at(header, last);
  }
}

// Sequence numbers and clock points start again; positions in the rings do not.
void Scribe::begin_file() {
  for (drain::DrainedRing& ring : rings_) ring.restart_numbers();
  drain_.clock().begin_session();
  drain_.points().clear();
}

}  // namespace steno::scribe
