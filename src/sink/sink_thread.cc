#include "sink/sink_thread.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/kill_point.h"
#include "base/name_match.h"
#include "base/signal_safe_lock.h"
#include "sink/notice.h"
#include "sink/sink_format.h"

namespace steno::sink {
namespace {

constexpr std::chrono::milliseconds kLongestHold{200};
constexpr std::size_t kChunk = std::size_t{1} << 18;  // of text that is written at a time
constexpr std::uint32_t kBatch = 1024;                // records that are formatted between looks at the buffer
constexpr std::size_t kMostWarnings = 16;
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::ptrdiff_t kMostPoints = 256;  // of the clock that are kept: records are young

std::string_view view_of(const ByteBuffer& text) {
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

}  // namespace

SinkThread::Source::Source(const format::SessionBlock& info) : session(&ordinals) {
  session.info = info;
  ByteBuffer entries;
  declare_notice(entries);
  (void)session.dictionary.add_block({entries.data(), entries.size()}, 0);
}

SinkThread::SinkThread(const SinkOptions& options, std::int64_t most_wait_ns)
    : options_(options), rule_name_(sink::rule_name(options)), level_(options.level), most_wait_ns_(most_wait_ns) {}

Status SinkThread::open(unsigned file_mode) {
  auto target = make_target(options_, file_mode);
  return target.ok() ? start(std::move(target).value()) : target.status();
}

Status SinkThread::start(std::unique_ptr<Target> target) {
  target_ = std::move(target);
  name_ = target_->name();
  terminal_ = target_->is_terminal();
  limit_ = lines::RateLimit(most_rate(options_, terminal_));
  const BlockSignals inherited;
  try {
    std::thread([self = shared_from_this()] { self->run(); }).detach();
  } catch (const std::system_error& error) {
    return {StatusCode::kExhausted, std::string("cannot start the thread of a sink: ") + error.what()};
  }
  return {};
}

bool SinkThread::wants(Level level, std::string_view logger) const {
  return level >= this->level() && (options_.logger.empty() || is_under(logger, options_.logger));
}

// False: it took too long.
bool SinkThread::wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done) {
  if (most_wait_ns_ != INT64_MAX) return taken_.wait_for(lock, std::chrono::nanoseconds(most_wait_ns_), done);
  taken_.wait(lock, done);
  return true;
}

bool SinkThread::has_room() {
  std::unique_lock lock(mutex_);
  const auto has_some = [this] { return bytes_ <= (full_ ? options_.queue_bytes / 2 : options_.queue_bytes); };
  if (has_some()) {
    full_ = gave_up_ = false;
    return true;
  }
  full_ = true;
  if (options_.when_full == WhenFull::kBlock && !gave_up_ && wait(lock, has_some)) {
    full_ = false;
    return true;
  }
  gave_up_ = true;
  return false;
}

void SinkThread::push(Look look, std::uint64_t skipped) {
  const std::lock_guard lock(mutex_);
  if (closing_) return;
  skipped_before_ += skipped;
  if (skipped != 0 && !warned_full_) {
    warned_full_ = true;
    add_warning(name_ + " does not keep up and skips lines");
  }
  const bool empty = look.records == nullptr && look.declarations == nullptr && look.begins == nullptr;
  if (empty && !look.last && !look.rotate && queue_.size() > 1) {
    Look& before = queue_.back().look;
    if (before.source == look.source && before.at == look.at) before.whole = before.whole || look.whole;
    return;
  }
  Message message;
  message.bytes = look.records != nullptr ? look.records->memory() : 0;
  // Declarations of sessions that come and go are bounded, too.
  if (look.source != 0 && look.declarations != nullptr) message.bytes += look.declarations->entries.size();
  message.skipped = std::exchange(skipped_before_, 0);
  message.look = std::move(look);
  bytes_ += message.bytes;
  ++pushes_;
  queue_.push_back(std::move(message));
  pushed_.notify_one();
}

bool SinkThread::wait_written() {
  std::unique_lock lock(mutex_);
  const std::uint64_t pushes = pushes_;
  return wait(lock, [&] { return done_ >= pushes; });
}

void SinkThread::begin_close() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  pushed_.notify_one();
}

void SinkThread::close() {
  begin_close();
  std::unique_lock lock(mutex_);
  if (!wait(lock, [&] { return ended_; })) {
    add_warning(name_ + " did not take the last lines in time");
    abandoned_ = true;
    queue_.clear();
  }
}

// The parent's thread may have let go of its target just before the fork.
void SinkThread::abandon() {
  if (target_ != nullptr) target_->abandon();
}

std::string SinkThread::take_warning() {
  const std::lock_guard lock(mutex_);
  if (warnings_.empty()) return {};
  std::string warning = std::move(warnings_.front());
  warnings_.pop_front();
  return warning;
}

// Requires mutex_.
void SinkThread::add_warning(std::string warning) {
  if (warnings_.size() < kMostWarnings) warnings_.push_back(std::move(warning));
}

void SinkThread::run() {
  sigset_t blocked = signals_of_others();  // SIGPIPE among them
  sigaddset(&blocked, SIGXFSZ);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  pthread_setname_np(pthread_self(), "steno-sink");
  for (;;) {
    Message message;
    {
      std::unique_lock lock(mutex_);
      const auto called = [&] { return closing_ || !queue_.empty(); };
      if (!holds_some() && !limit_.holds()) {
        pushed_.wait(lock, called);
      } else if (!pushed_.wait_for(lock, kLongestHold, called)) {
        lock.unlock();
        try {
          print_held();
          count_held_back_if_due();
        } catch (...) {  // no memory: they are held until there is some
          std::this_thread::sleep_for(kLongestHold);
        }
        continue;
      }
      if (queue_.empty()) break;
      message = std::move(queue_.front());
      queue_.pop_front();
    }
    STENO_DELAY_POINT();
    try {
      message.skipped += std::exchange(missed_, 0);
      process(message);
      count_held_back_if_due();  // records that are not for this sink may come all the time
    } catch (...) {              // no memory: its lines are skipped, and the next ones say how many
      missed_ += message.skipped + (message.look.records != nullptr ? message.look.records->clocks.size() : 0);
    }
    STENO_DELAY_POINT();
    const std::lock_guard lock(mutex_);
    bytes_ -= message.bytes;
    ++done_;
    taken_.notify_all();
  }
  target_.reset();  // before close() returns: the file may be opened again then, and must not be marked as ours
  STENO_DELAY_POINT();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  taken_.notify_all();
}

void SinkThread::process(const Message& message) {
  const Look& look = message.look;
  ticks_ = look.ticks;
  if (look.begins != nullptr) begin_source(look);
  const auto found = sources_.find(look.source);
  if (found == sources_.end()) {  // a rotation, which is of no session; or one that there was no room to hear of
    note_skipped(message.skipped);
    if (look.rotate) rotate();
    return;
  }
  source_ = found->second.get();
  TimeOrder& order = source_->order;
  if (look.declarations != nullptr) declare(*source_, *look.declarations);
  if (message.skipped != 0) {
    print(order.take(UINT64_MAX, INT64_MAX));
    write_batch();
    note_skipped(message.skipped);
  }
  if (look.records != nullptr) {
    order.add(look.records, source_->session, source_->offset, look.at, [this](const reader::DecodedGroup& group) {
      return wants(group.site->info().level, group.logger->info.name);
    });
  }
  if (!order.empty()) {
    const auto hold = static_cast<std::uint64_t>(static_cast<double>(kHoldNs) / source_->session.info.ns_per_tick);
    const std::uint64_t due = look.ticks - std::min(look.ticks, hold);
    if (look.whole) {
      print(order.take(due, look.last ? INT64_MAX : look.at - kHoldNs));
    } else {
      print(order.take(std::min(due, look.settled), INT64_MIN));
    }
  }
  write_batch();
  if (look.last) {
    count_held_back();
    note_loss(target_->take_loss());
    // The second one is about lines that turned out to be lost while the first one was written.
    for (int notices = 0; skipped_ != 0 && notices < 2; ++notices) {
      prepare();
      if (!write_notice()) break;
    }
    target_->flush();
  }
  if (look.rotate) rotate();
  if (look.ends) end_source(look.source);
}

bool SinkThread::holds_some() const {
  return std::any_of(sources_.begin(), sources_.end(),
                     [](const auto& source) { return !source.second->order.empty(); });
}

// The look that they were held for was one that the queue did not take.
void SinkThread::print_held() {
  for (const auto& [number, source] : sources_) {
    source_ = source.get();
    print(source->order.take(0, monotonic_now() - kHoldNs));
    write_batch();
  }
}

void SinkThread::begin_source(const Look& look) {
  auto source = std::make_unique<Source>(*look.begins);
  source->format = make_format(options_, terminal_);
  sources_[look.source] = std::move(source);
}

// Skipped lines have been reported, if possible.
void SinkThread::end_source(std::uint64_t source) {
  source_ = nullptr;
  sources_.erase(source);
}

void SinkThread::rotate() {
  target_->rotate();
  note_warnings();
}

void SinkThread::note_warnings() {
  for (std::string warning; !(warning = target_->take_warning()).empty();) {
    const std::lock_guard lock(mutex_);
    add_warning(std::move(warning));
  }
}

void SinkThread::declare(Source& source, const Declarations& declarations) {
  reader::Session& session = source.session;
  ++source.offset;
  (void)session.dictionary.add_block({declarations.entries.data(), declarations.entries.size()}, source.offset);
  if (declarations.points.empty()) return;
  std::vector<format::ClockPoint>& points = session.clock_points;
  points.insert(points.end(), declarations.points.begin(), declarations.points.end());
  if (points.size() > std::size_t{kMostPoints}) points.erase(points.begin(), points.end() - kMostPoints);
  session.clock = reader::ClockMap(points, session.info.ns_per_tick);
}

void SinkThread::print(std::span<const reader::Slice> slices) {
  for (std::size_t first = 0; first < slices.size();) {
    std::uint32_t records = 0;
    std::size_t end = first;
    for (; end < slices.size() && records + (slices[end].end - slices[end].begin) <= kBatch; ++end) {
      records += slices[end].end - slices[end].begin;
    }
    if (end != first) {
      append(slices.subspan(first, end - first), batch_);
    } else {
      reader::Slice part = slices[end++];
      for (const std::uint32_t last = part.end; part.begin < last; part.begin = part.end) {
        part.end = std::min(last, part.begin + kBatch);
        append({&part, 1}, batch_);
      }
    }
    if (batch_.text.size() >= kChunk) write_batch();
    first = end;
  }
}

// Record by record: what is held back is no line, and what counts it stands before the next second's.
void SinkThread::append_limited(const reader::Slice& slice, Batch& batch) {
  reader::Slice part = slice;
  for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
    part.begin = i;
    part.end = i + 1;
    std::string counted;
    const bool taken = limit_.takes(*slice.block->group(i).site, slice.block->wall(i), &counted);
    lines::put(batch.text, counted);
    if (!counted.empty()) held_since_ = 0;  // a new second has begun
    if (taken) source_->format->append({&part, 1}, batch.text);
  }
  if (!limit_.holds()) held_since_ = 0;
  if (limit_.holds() && held_since_ == 0) held_since_ = monotonic_now();
}

void SinkThread::count_held_back_if_due() {
  if (held_since_ != 0 && monotonic_now() - held_since_ >= kSecondNs) count_held_back();
}

// Nothing has come since that would end the second.
void SinkThread::count_held_back() {
  held_since_ = 0;
  if (!limit_.holds() || source_ == nullptr) return;
  lines::put(batch_.text, limit_.counted());
  ++batch_.records;
  write_batch();
}

void SinkThread::append(std::span<const reader::Slice> slices, Batch& batch) {
  if (limit_.limits() && &batch != &notice_) {
    for (const reader::Slice& slice : slices) {
      batch.records += slice.end - slice.begin;
      append_limited(slice, batch);
    }
    return;
  }
  for (const reader::Slice& slice : slices) {
    batch.records += slice.end - slice.begin;
    if (target_->wants_lines()) append_lines(slice, batch);
  }
  if (!target_->wants_lines()) source_->format->append(slices, batch.text);
}

void SinkThread::append_lines(reader::Slice slice, Batch& batch) {
  for (const std::uint32_t end = slice.end; slice.begin < end; slice.begin = slice.end) {
    slice.end = slice.begin + 1;
    source_->format->append({&slice, 1}, batch.text);
    const reader::DecodedGroup& group = slice.block->group(slice.begin);
    batch.lines.push_back(
        {{}, slice.block->wall(slice.begin), group.site->info().level, std::string_view(group.logger->info.name)});
    batch.ends.push_back(batch.text.size());
  }
}

void SinkThread::write_batch() {
  if (batch_.records == 0) return;
  prepare();
  if (!write_notice() || !write(batch_)) skipped_ += batch_.records;
  batch_.clear();
}

// Called before each write: lets the target follow renamed files, and takes its warnings and losses.
void SinkThread::prepare() {
  target_->prepare();
  note_warnings();
  note_loss(target_->take_loss());
}

void SinkThread::note_skipped(std::uint64_t records) {
  if (records == 0) return;
  skipped_ += records;
  reason_ = "the sink did not keep up";
}

void SinkThread::note_loss(Loss loss) {
  if (loss.lines == 0) return;
  skipped_ += loss.lines;
  note_failure(std::move(loss.reason));
}

// If records were skipped, writes a line with their number. False: it could not be written.
bool SinkThread::write_notice() {
  if (skipped_ == 0) return true;
  const std::uint64_t reported = skipped_;
  const std::shared_ptr<const Records> notice = make_notice(ticks_, reported, reason_);
  reader::DecodedBlock block;
  block.gather(source_->session, notice->input(), 0);
  const reader::Slice slice = {&block, source_->session.dictionary.thread(kNoticeId, 0), 0, 1};
  notice_.clear();
  append({&slice, 1}, notice_);
  if (!write(notice_)) return false;
  skipped_ -= reported;  // what was lost meanwhile is for the next notice
  return true;
}

// False: nothing of it was written. Lines that turned out to be lost are noted.
bool SinkThread::write(Batch& batch) {
  {
    const std::lock_guard lock(mutex_);
    if (abandoned_) return false;
  }
  const std::string_view text = view_of(batch.text);
  std::size_t start = 0;
  for (std::size_t i = 0; i < batch.lines.size(); ++i) {
    batch.lines[i].text = text.substr(start, batch.ends[i] - start - 1);
    start = batch.ends[i];
  }
  ByteBuffer header;
  if (target_->is_fresh()) source_->format->begin(header);
  Status status = header.empty() ? Status() : target_->write(view_of(header), {});
  if (status.ok()) status = target_->write(text, batch.lines);
  if (!status.ok()) {
    note_failure(status.message());
    return false;
  }
  Loss loss = target_->take_loss();
  if (loss.lines == 0) failing_ = false;
  note_loss(std::move(loss));
  return true;
}

void SinkThread::note_failure(std::string reason) {
  reason_ = std::move(reason);
  if (std::exchange(failing_, true)) return;
  const std::lock_guard lock(mutex_);
  add_warning(target_->name() + " cannot be written (" + reason_ + "): lines are skipped until it can");
}

}  // namespace steno::sink
