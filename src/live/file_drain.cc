#include "live/file_drain.h"

#include "base/futex.h"
#include "base/kill_point.h"
#include "format/packed_session.h"
#include "ring/session_access.h"

namespace steno::live {

FileDrain::FileDrain(staging::ForeignStaging& view, StagingDrain& drain, logfile::OutputFile& file)
    : view_(view), drain_(drain), file_(file) {}

void FileDrain::begin(bool elsewhere) {
  out_.clear();
  drain_.begin(out_, elsewhere);
  writer_.begin(view_.session().session_id, drain_.tag());
  unwritten_ = true;
}

Status FileDrain::write_begun() {
  return write(nullptr);
}

// Only what is on file may be released, copies and indexes included: they may be what the disk has no room for.
Status FileDrain::write(const format::BlockInput* input) {
  unwritten_ = false;
  status_ = writer_.write(file_, out_, input);
  if (status_.ok()) status_ = file_.retry();
  out_.clear();
  if (writer_.take_stretch_end()) drain_.begin_stretch();
  return status_;
}

Status FileDrain::retry() {
  if (file_.stuck()) status_ = file_.retry();
  if (status_.ok() && unreleased_) {
    unreleased_ = false;
    drain_.release();
  }
  return status_;
}

bool FileDrain::write_next() {
  if (!drain_.next(out_)) {
    if (!unreleased_) drain_.release();  // what needs no block: pads, and what was set aside
    return false;
  }
  unreleased_ = true;
  const Status written = write(&drain_.input());
  STENO_KILL_POINT("recover.block_written");
  if (!written.ok() || !retry().ok()) return false;
  STENO_KILL_POINT("recover.released");
  return true;
}

Status FileDrain::finish() {
  drain_.append_death(out_);
  if (Status status = write(&drain_.input()); !status.ok()) return status;
  STENO_KILL_POINT("recover.death_written");
  while (drain_.next_unreported(out_)) {
    drain_.release();  // announces it (ring.md §4.1)
    STENO_KILL_POINT("recover.loss_announced");
    if (Status status = write(&drain_.input()); !status.ok()) return status;
    STENO_KILL_POINT("recover.loss_written");
    drain_.reported();
    drain_.release();
  }
  if (Status status = end_in(file_); !status.ok()) return status;
  STENO_KILL_POINT("recover.end_written");
  mark_ended();
  return {};
}

void FileDrain::mark_ended() {
  ring::SessionFile& session = *view_.shared_session();
  ring::store_state(session, ring::kEnded);
  futex_wake(&session.state);  // its owner may wait for that
}

Status FileDrain::finish_at_once(logfile::SessionPacker& packer) {
  const bool has_data = drain_.next(out_);
  const format::BlockInput* const input = has_data ? &drain_.input() : nullptr;
  unreleased_ = true;  // also what needs no block
  logfile::SessionPacker::Plan plan;
  const bool whole = !drain_.pending();
  if (whole) {
    ByteBuffer blocks;
    blocks.put_bytes(out_.data(), out_.size());
    drain_.append_end(blocks);
    plan = packer.plan(file_, {blocks.data(), blocks.size()}, view_.session().session_id);
  }
  if (plan.form == logfile::SessionPacker::Form::kPacked) {
    out_.clear();
    unwritten_ = false;
    status_ = file_.write(plan.blocks);
    STENO_KILL_POINT("packed.written");
    if (!status_.ok()) return status_;
    packer.wrote(plan, file_.end());
    if (Status status = retry(); !status.ok()) return status;
    STENO_KILL_POINT("packed.released");
    mark_ended();
    return {};
  }
  if (plan.form == logfile::SessionPacker::Form::kModel) (void)format::raise_version(&out_);
  if (!write(input).ok() || !retry().ok()) return status_;
  STENO_KILL_POINT("packed.plain_written");
  if (!whole) {
    while (write_next()) {
    }
    if (!status_.ok()) return status_;
  }
  if (Status status = finish(); !status.ok()) return status;
  if (plan.form != logfile::SessionPacker::Form::kModel) return {};
  STENO_KILL_POINT("packed.model_due");
  // Without it, the next session of this kind is written as ever.
  if (file_.write(plan.blocks).ok()) packer.wrote(plan, file_.end());
  return {};
}

Status FileDrain::end_in(logfile::OutputFile& file) {
  drain_.append_points(out_);
  if (!unwritten_ && !out_.empty()) {
    (void)writer_.write(file, out_, nullptr);  // what the file refuses is queued
    out_.clear();
  }
  writer_.finish(file);
  drain_.append_end(out_);
  Status status = file.write(out_);  // queued after what could not be written before it, if anything
  out_.clear();
  return status;
}

void FileDrain::take_back() {
  drain_.take_back();
  unreleased_ = false;
}

}  // namespace steno::live
