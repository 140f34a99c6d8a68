// How a session ends: everything written, losses named, the end block.
#include "format/end_block.h"
#include "ring/layout.h"
#include "scribe/scribe.h"

namespace steno::scribe {

// A record of the scribe's own in a ring's sequence, as if its thread had written it.
Status Scribe::write_own_record(runtime::Ring& ring, std::uint32_t site, const ByteBuffer& arguments) {
  constexpr std::size_t kRoom = 512;
  alignas(8) std::byte record[kRoom] = {};
  const std::size_t size = round_up(wire::kArgsOffset + arguments.size(), 8);
  store(record, wire::Header{site, static_cast<std::uint16_t>(size / 8), 0}.pack());
  store(record + wire::kHeaderSize, ticks_now());
  std::memcpy(record + wire::kArgsOffset, arguments.data(), arguments.size());

  runtime::Ring stand_in;
  stand_in.memory = {nullptr, record, ring::kMinCapacity};
  stand_in.id = ring.id;
  stand_in.thread = ring.thread;
  RingCursor cursor = {0, cursors_[ring.id].seq};
  walker_.begin(record);
  walker_.add(stand_in, size, &cursor);
  if (walker_.records() == 0) return {};
  format::BlockInput input = walker_.finish();
  format::Run run = input.runs.front();
  run.end = cursors_[ring.id].head;
  input.runs = {&run, 1};
  const Status status = write_block(&input);
  cursors_[ring.id].seq = cursor.seq;
  note_write(status);
  return status;
}

std::uint64_t Scribe::ticks_now() const {
  switch (core_options_.clock) {
    case ClockKind::kUser:
      return core_options_.user_clock();
    case ClockKind::kWall:
      return static_cast<std::uint64_t>(wall_now());
    default:
      return counter_now();
  }
}

// Drops and discards that no record of a producer's accounts for yet.
void Scribe::report_losses() {
  for (std::uint32_t i = 0; i < cursors_.size(); ++i) {
    runtime::Ring& ring = core_.ring(i);
    const std::uint64_t missing = ring.take_unaccounted();
    if (missing == 0) continue;
    ByteBuffer arguments;
    arguments.put(missing);
    arguments.put(ring.dropping_since.load(std::memory_order_relaxed));
    (void)write_own_record(ring, wire::kSiteDropped, arguments);
  }
  const std::uint64_t discarded = core_.take_discarded();
  if (discarded == 0) return;
  static constexpr std::string_view kReason =
      "no ring could be made for a thread, or a signal handler logged while its thread got one";
  if (cursors_.empty()) {
    warn(std::to_string(discarded) + " records discarded: " + std::string(kReason));
    return;
  }
  ByteBuffer arguments;
  arguments.put(discarded);
  arguments.put(static_cast<std::uint32_t>(kReason.size()));
  arguments.put_bytes(kReason.data(), kReason.size());
  (void)write_own_record(core_.ring(0), wire::kSiteDiscarded, arguments);
}

Status Scribe::write_end_block() {
  format::EndBlock end;
  end.records = records_.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < cursors_.size(); ++i) {
    end.rings.push_back({i, cursors_[i].seq, cursors_[i].head, walker_.reported_drops(i)});
  }
  out_.clear();
  update_clock(true);
  append_pending_points(tag_, &out_);
  format::append_end_block(out_, end, tag_);
  const Status status = file_.write(out_);
  bytes_.store(file_.bytes_written(), std::memory_order_relaxed);
  return status;
}

void Scribe::abandon() {
  stopping_.store(true, std::memory_order_release);
  new (&thread_) std::thread;  // the handle may be another thread's by now: it is not even to be detached
  file_.close();
}

Status Scribe::stop() {
  if (getpid() != pid_) abandon();
  if (!file_.is_open()) return {};
  stopping_.store(true, std::memory_order_release);
  core_.wake(true);
  if (thread_.joinable()) thread_.join();

  const std::lock_guard lock(pass_mutex_);
  // Twice: producers that waited got room by the first pass and may have logged once more before they saw the end.
  pass(true);
  core_.end();
  pass(true);
  check_warnings();
  Status status;
  if (!file_.stuck()) report_losses();
  if (file_.stuck()) {
    status = {StatusCode::kIoError,
              options_.path + ": the last " + std::to_string(pending_bytes_) +
                  " bytes of records could not be written; they stay in memory and are lost at exit"};
    warn(status.message());
  } else {
    status = write_end_block();
    if (!status.ok()) warn(status.message());
  }
  unsynced_ = true;
  sync_if_due(true);
  file_.close();
  {
    const std::lock_guard flush_lock(flush_mutex_);
    flush_done_ = ~std::uint64_t{0};
    flush_status_ = status;
    flush_changed_.notify_all();
  }
  return status;
}

}  // namespace steno::scribe
