#include "drain/span_walker.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "format/protocol_block.h"
#include "wire/stamp.h"

namespace steno::drain {
namespace {

// How far ahead of the walk to ask for records: they lie in the producer's cache, and the hardware looks no farther
// than its page.
constexpr std::size_t kPrefetch = 1024;

// An exception leaves the owner of a ring as it was at the cursor, which has not moved.
class OwnerGuard {
 public:
  OwnerGuard(wire::RingOwner* owner, wire::RingOwner* before) : owner_(owner), before_(before) { *before = *owner; }
  OwnerGuard(const OwnerGuard&) = delete;
  OwnerGuard& operator=(const OwnerGuard&) = delete;
  ~OwnerGuard() {
    if (!kept_) std::swap(*owner_, *before_);
  }
  void keep() { kept_ = true; }

 private:
  wire::RingOwner* const owner_;
  wire::RingOwner* const before_;
  bool kept_ = false;
};

}  // namespace

void SpanWalker::begin(const std::byte* base) {
  base_ = base;
  ++epoch_;
  records_ = 0;
  bytes_ = 0;
  runs_.clear();
  groups_.clear();
  group_ids_.clear();
  shapes_.clear();
  payloads_.clear();
  counts_.clear();
  contexts_.clear();
  context_starts_.clear();
  group_contexts_.clear();
  composed_.clear();
  composed_bytes_ = 0;
}

bool SpanWalker::learn_site(std::uint32_t id) {
  wire::SiteInfo info;
  auto site = std::make_unique<Site>();
  if (!ids_.find_site(id, &info) || !wire::Layout::parse(info.types, &site->layout)) return false;
  site->payloads = PayloadEnds(site->layout);
  site->level = info.level;
  if (id >= sites_.size()) {
    sites_.resize(std::max(ids_.sites_end(), id + 1));
    recent_.resize(sites_.size());
  }
  sites_[id] = std::move(site);
  return true;
}

// The dictionary entry of one that is known. Where all its records are in a context, they need that of the statement
// with the context's fields only (span_contexts.cc).
void SpanWalker::declare_site(std::uint32_t id) {
  wire::SiteInfo info;
  if (std::exchange(sites_[id]->declared, true) || !ids_.find_site(id, &info)) return;
  wire::append_entry(new_entries_, info);
}

void SpanWalker::learn_logger(std::uint16_t logger) {
  if (logger == 0) return;
  if (logger >= loggers_known_.size()) loggers_known_.resize(logger + 1u);
  if (loggers_known_[logger]) return;
  loggers_known_[logger] = true;
  wire::LoggerInfo info = {logger, ""};
  if (ids_.find_logger(logger, &info.name)) wire::append_entry(new_entries_, info);
}

bool SpanWalker::is_aside(std::uint32_t id) {
  if (id < asides_.size() && asides_[id] != kUnknown) return asides_[id] == kAside;
  if ((id >= sites_.size() || sites_[id] == nullptr) && !learn_site(id)) return false;
  asides_.resize(std::max(asides_.size(), sites_.size()));
  asides_[id] = sites_[id]->level < aside_below_ ? kAside : kKept;
  return asides_[id] == kAside;
}

// Sets aside as many records as are to be set aside, from p on. Returns where they end: p if it is another, or not
// valid.
const std::byte* SpanWalker::set_aside(const RingSpan& ring, const std::byte* p, const std::byte* end,
                                       std::uint64_t position) {
  const std::byte* const first = p;
  while (p < end) {
    const wire::Header header = wire::Header::unpack(load<std::uint64_t>(p));
    if (header.site < wire::kFirstUserSite || !is_aside(header.site)) break;
    const wire::Layout& layout = sites_[header.site]->layout;
    if (header.size() < layout.fixed_end || header.size() > static_cast<std::size_t>(end - p)) break;
    if (layout.strings != 0 && layout.payloads_end(p) > header.size()) break;
    learn_logger(header.logger);
    if (position + static_cast<std::uint64_t>(p - first) >= ring.taken) {
      aside_.put_bytes(p, header.size());
      aside_has_some_ = true;
    }
    p += header.size();
  }
  return p;
}

std::uint32_t SpanWalker::find_group(std::uint32_t id, std::uint16_t logger) {
  if (sets_aside_ && is_aside(id)) return kNone;
  if ((id >= sites_.size() || sites_[id] == nullptr) && !learn_site(id)) return kNone;
  Recent& recent = recent_[id];
  const std::uint64_t key = std::uint64_t{id} << 16 | logger;
  if (recent.epoch == epoch_) {  // a site with several loggers
    if (const auto known = group_ids_.find(key); known != group_ids_.end()) {
      recent = {epoch_, known->second, logger};
      return known->second;
    }
  }
  declare_site(id);
  const std::uint32_t group = add_group(id, logger, *sites_[id]);
  recent = {epoch_, group, logger};
  return group;
}

std::uint32_t SpanWalker::add_group(std::uint32_t id, std::uint16_t logger, const Site& site) {
  learn_logger(logger);
  const auto group = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back({id, logger, site.level, &site.layout, nullptr, 0, 0});
  group_ids_.emplace(std::uint64_t{id} << 16 | logger, group);
  shapes_.push_back({site.layout.fixed_end, site.layout.strings});
  payloads_.emplace_back(site.layout);
  counts_.push_back(0);
  group_contexts_.emplace_back();
  return group;
}

bool read_thread(const std::byte* record, std::size_t size, wire::RingOwner* owner) {
  constexpr std::size_t kFixed = wire::kArgsOffset + 16;
  if (size < kFixed) return false;
  const auto length = load<std::uint32_t>(record + wire::kArgsOffset + 12);
  if (length > size - kFixed) return false;
  owner->index = load<std::uint32_t>(record + wire::kArgsOffset);
  owner->tid = load<std::uint64_t>(record + wire::kArgsOffset + 4);
  owner->name.assign(reinterpret_cast<const char*>(record + kFixed), length);
  owner->context.clear();
  return true;
}

bool read_context(const std::byte* record, std::size_t size, wire::RingOwner* owner) {
  if (size < wire::kArgsOffset) return false;
  const std::string_view bytes(reinterpret_cast<const char*>(record) + wire::kArgsOffset, size - wire::kArgsOffset);
  wire::Context context;
  if (!wire::Context::parse(bytes, &context)) return false;
  owner->context = context.names.empty() ? std::string_view() : bytes;
  return true;
}

void SpanWalker::learn_thread(const RingSpan& ring, const std::byte* record, std::size_t size) {
  if (!read_thread(record, size, owner_)) return;
  enter_context();
  if (ring.id < thread_known_.size()) thread_known_[ring.id] = kNone;
}

void SpanWalker::end_run(const RingSpan& ring, std::uint64_t position) {
  const auto records = static_cast<std::uint32_t>(records_ - run_first_record_);
  if (records != 0) {
    if (ring.id >= thread_known_.size()) thread_known_.resize(ring.id + 1, kNone);
    if (thread_known_[ring.id] != owner_->index) {
      thread_known_[ring.id] = owner_->index;
      wire::append_entry(new_entries_, static_cast<const wire::ThreadInfo&>(*owner_));
    }
    runs_.push_back({owner_->index, ring.id, records, run_first_seq_, ring.origin + position});
  }
  run_first_record_ = records_;
  run_first_seq_ += records;
}

const std::byte* SpanWalker::walk(const std::byte* p, const std::byte* end, std::size_t room) {
  std::uint32_t* const order = order_.data();
  std::uint64_t* const clocks = clocks_.data();
  std::uint32_t* const offsets = offsets_.data();
  const std::byte* const base = base_;
  const std::uint32_t epoch = epoch_;
  // Not beyond what is committed: that line is the producer's, who is writing it.
  const std::byte* const last = end - p > static_cast<std::ptrdiff_t>(kPrefetch) ? end - kPrefetch : p;
  std::size_t n = records_;
  const Recent* recent = recent_.data();
  std::size_t known = recent_.size();
  const Shape* shapes = shapes_.data();
  const PayloadEnds* payloads = payloads_.data();
  std::uint32_t* counts = counts_.data();
  while (p < end && n < room) {
    if (p < last) __builtin_prefetch(p + kPrefetch);
    const auto word = load<std::uint64_t>(p);
    const auto id = static_cast<std::uint32_t>(word);
    const std::size_t size = (word >> 32 & 0xFFFF) * 8;
    const auto logger = static_cast<std::uint16_t>(word >> 48);
    if (id < wire::kFirstUserSite) break;
    std::uint32_t group = kNone;
    if (id < known && recent[id].epoch == epoch && recent[id].logger == logger) {
      group = recent[id].group;
    } else {
      if ((group = find_group(id, logger)) == kNone) break;
      recent = recent_.data();
      known = recent_.size();
      shapes = shapes_.data();
      payloads = payloads_.data();
      counts = counts_.data();
    }
    const Shape shape = shapes[group];
    if (size < shape.fixed_end || size > static_cast<std::size_t>(end - p)) break;
    const std::size_t first = n;
    if (shape.strings != 0) {
      if (payloads[group].end(p) > size) break;
      clocks[n] = load<std::uint64_t>(p + 8);
      order[n] = group;
      offsets[n++] = static_cast<std::uint32_t>((p - base) / 8);
      p += size;
    } else {
      // Records of one size come in runs of the same header: nothing is left to look up or check.
      do {
        if (p < last) __builtin_prefetch(p + kPrefetch);
        clocks[n] = load<std::uint64_t>(p + 8);
        order[n] = group;
        offsets[n++] = static_cast<std::uint32_t>((p - base) / 8);
        p += size;
      } while (static_cast<std::size_t>(end - p) >= size && n < room && load<std::uint64_t>(p) == word);
    }
    counts[group] += static_cast<std::uint32_t>(n - first);
  }
  records_ = n;
  return p;
}

void SpanWalker::forget_entries() {
  sites_.clear();
  asides_.clear();
  recent_.clear();
  recent_in_context_.clear();
  for (auto& [key, site] : context_sites_) {
    site->written = false;
    site->statement = nullptr;
  }
  loggers_known_.clear();
  thread_known_.clear();
  new_entries_.clear();
}

bool SpanWalker::add(const RingSpan& ring, wire::RingOwner* owner, std::uint64_t tail, RingCursor* cursor) {
  OwnerGuard guard(owner, &owner_before_);
  const std::byte* const data = ring.data;
  const std::uint64_t capacity = ring.extent.capacity;
  owner_ = owner;
  sets_aside_ = aside_below_ != Level::kTrace && !ring.recorder;
  aside_.clear();
  aside_has_some_ = false;
  // A record that is set aside in the one kind of ring is not in the other.
  if (aside_below_ != Level::kTrace && records_ != 0 && of_recorder_ != ring.recorder) return false;
  of_recorder_ = ring.recorder;
  enter_context();
  if (data < base_ || static_cast<std::uint64_t>(data - base_) / 8 + capacity / 8 > UINT32_MAX) return false;

  const std::size_t first = records_;
  const std::uint64_t most = (tail - cursor->head + wire::kArgsOffset - 1) / wire::kArgsOffset;  // a pad may be alone
  const std::size_t room = std::min<std::size_t>(kMaxRecords, records_ + std::min<std::uint64_t>(most, most_of_ring_));
  order_.ensure(records_, room);
  clocks_.ensure(records_, room);
  offsets_.ensure(records_, room);
  run_first_record_ = records_;
  run_first_seq_ = cursor->seq;

  const std::uint64_t stop = std::min(tail, cursor->head + kMaxBytes);
  std::uint64_t position = cursor->head;
  while (position < stop && records_ < room) {
    const std::uint64_t offset = ring.extent.address(position);
    const std::byte* const p = data + offset;
    const std::uint64_t lap_end = std::min(capacity, offset + (tail - position));
    const std::byte* const record =
        in_context_ ? walk_in_context(p, data + lap_end, room) : walk(p, data + lap_end, room);
    position += static_cast<std::uint64_t>(record - p);
    if (composed_bytes_ >= kMaxBytes) break;
    if (record == data + lap_end || records_ >= room) continue;

    if (sets_aside_) {
      const std::byte* const next = set_aside(ring, record, data + lap_end, position);
      position += static_cast<std::uint64_t>(next - record);
      if (next != record) continue;
    }

    // Not a user's record: one of the protocol's own, or damage.
    const wire::Header header = wire::Header::unpack(load<std::uint64_t>(record));
    const bool fits =
        header.size() >= wire::kHeaderSize && header.size() <= static_cast<std::size_t>(data + lap_end - record);
    if (fits && header.size() >= wire::kArgsOffset && ids_.is_missing(header.site)) {
      end_run(ring, position);
      ++run_first_seq_;
      ++unreadable_;
      position += header.size();
      continue;
    }
    if (ring.cut && position != cursor->head && header.size() > static_cast<std::size_t>(data + lap_end - record)) {
      forget_empty_group();
      break;
    }
    if (!fits || !take_own(ring, record, header, cursor, position)) {
      forget_empty_group();
      corrupt_bytes_ += tail - position;
      position = tail;
      break;
    }
    position += header.size();
  }
  if (wall_ticks_) {
    std::transform(
        clocks_.data() + first, clocks_.data() + records_, clocks_.data() + first, [this](std::uint64_t ticks) {
          return wire::is_counter(ticks) ? wire::representable_time(clock_.wall_of(ticks)) : wire::time_of(ticks);
        });
  }
  end_run(ring, position);
  if (!aside_has_some_) aside_.clear();
  bytes_ += position - cursor->head;
  cursor->head = position;
  cursor->seq = run_first_seq_;
  guard.keep();
  return true;
}

// Takes a record of the protocol's own (ring.md §4.1) at `position`. False: it is none, or makes no sense.
bool SpanWalker::take_own(const RingSpan& ring, const std::byte* record, const wire::Header& header, RingCursor* cursor,
                          std::uint64_t position) {
  switch (header.site) {
    case wire::kSitePad:
      return true;
    case wire::kSiteTaken:
      return true;
    case wire::kSiteThread:
      end_run(ring, position);
      learn_thread(ring, record, header.size());
      if (sets_aside_) aside_.put_bytes(record, header.size());
      return true;
    case wire::kSiteContext:
      if (sets_aside_) aside_.put_bytes(record, header.size());
      return learn_context(record, header.size());
    case wire::kSiteDropped:
    case wire::kSiteDiscarded:
    case wire::kSiteDied:
    case wire::kSiteRecorder: {
      const std::uint32_t group = find_group(header.site, header.logger);
      if (group == kNone || header.size() < shapes_[group].fixed_end) return false;
      if (groups_[group].layout->payloads_end(record) > header.size()) return false;
      if (header.site == wire::kSiteDropped) cursor->drops += load<std::uint64_t>(record + wire::kArgsOffset);
      if (header.site == wire::kSiteRecorder) cursor->drops += load<std::uint64_t>(record + wire::kArgsOffset + 8);
      clocks_.data()[records_] = load<std::uint64_t>(record + 8);
      order_.data()[records_] = group;
      offsets_.data()[records_++] = static_cast<std::uint32_t>((record - base_) / 8);
      ++counts_[group];
      return true;
    }
    default:
      if (header.site >= wire::kFirstUserSite) return false;
      // A later version's: it has no number, so that nothing is missing without it.
      format::append_protocol_record(protocol_records_,
                                     {owner_->index,
                                      ring.id,
                                      run_first_seq_ + (records_ - run_first_record_),
                                      ring.origin + position,
                                      {reinterpret_cast<const std::uint8_t*>(record), header.size()}});
      return true;
  }
}

// A group that was made for a record which then proved invalid: no block may have an empty one.
void SpanWalker::forget_empty_group() {
  if (groups_.empty() || counts_.back() != 0) return;
  if (groups_.back().site < recent_.size()) recent_[groups_.back().site].epoch = 0;
  recent_in_context_.clear();
  group_ids_.erase(std::uint64_t{groups_.back().site} << 16 | groups_.back().logger);
  groups_.pop_back();
  shapes_.pop_back();
  payloads_.pop_back();
  counts_.pop_back();
  group_contexts_.pop_back();
}

format::BlockInput SpanWalker::finish(bool apart) {
  if (!context_starts_.empty()) place_contexts(apart);
  context_starts_.clear();
  scatter_.resize(groups_.size());
  std::uint32_t first = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].records = counts_[g];
    groups_[g].first = scatter_[g] = first;
    first += groups_[g].records;
  }
  const std::uint32_t* grouped = offsets_.data();
  if (groups_.size() > 1) {
    grouped_offsets_.ensure(0, records_);
    std::uint32_t* const out = grouped_offsets_.data();
    const std::uint32_t* const order = order_.data();
    const std::uint32_t* const offsets = offsets_.data();
    std::uint32_t* const next = scatter_.data();
    for (std::size_t i = 0; i < records_; ++i) out[next[order[i]]++] = offsets[i];
    grouped = out;
  }
  format::BlockInput input;
  input.base = base_;
  input.runs = runs_;
  input.groups = groups_;
  input.order = {order_.data(), records_};
  input.clocks = {clocks_.data(), records_};
  input.offsets = {grouped, records_};
  return input;
}

Level SpanWalker::top_level() const {
  Level top = Level::kTrace;
  for (const format::Group& group : groups_) top = std::max(top, group.level);
  return top;
}

}  // namespace steno::drain
