#include "scribe/span_walker.h"

#include <algorithm>

#include "base/bytes.h"
#include "registry/registry.h"

namespace steno::scribe {
namespace {

// Whether the payloads that the length slots announce lie inside the record.
bool payloads_fit(const wire::Layout& layout, const std::byte* record, std::size_t size) {
  std::uint64_t end = layout.fixed_end;
  for (const wire::Field& field : layout.fields) {
    if (!is_string(field.type)) continue;
    const auto length = load<std::uint32_t>(record + field.offset);
    if (length != kNullString) end += length;
  }
  return end <= size;
}

}  // namespace

void SpanWalker::begin(const std::byte* base) {
  base_ = base;
  ++epoch_;
  records_ = 0;
  bytes_ = 0;
  runs_.clear();
  groups_.clear();
  group_next_.clear();
}

bool SpanWalker::learn_site(std::uint32_t id, Site* site) {
  wire::SiteInfo info;
  if (!registry::Registry::instance().find(id, &info) || !wire::Layout::parse(info.types, &site->layout)) return false;
  site->known = true;
  site->level = info.level;
  wire::append_entry(new_entries_, info);
  return true;
}

std::uint32_t SpanWalker::group_of(std::uint32_t id, std::uint16_t logger) {
  if (id >= sites_.size()) {
    if (id >= registry::Registry::instance().end()) return kNone;
    sites_.resize(registry::Registry::instance().end());
  }
  if (sites_[id] == nullptr) sites_[id] = std::make_unique<Site>();
  Site& site = *sites_[id];
  if (!site.known && !learn_site(id, &site)) return kNone;

  std::uint32_t chain = kNone;
  if (site.epoch == epoch_) {
    for (std::uint32_t g = site.group; g != kNone; g = group_next_[g]) {
      if (groups_[g].logger == logger) return g;
    }
    chain = site.group;
  }
  if (logger != 0) {
    if (logger >= loggers_known_.size()) loggers_known_.resize(logger + 1u);
    if (!loggers_known_[logger]) {
      loggers_known_[logger] = true;
      wire::append_entry(new_entries_, wire::LoggerInfo{logger, core_.logger_name(logger)});
    }
  }
  const auto group = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back({id, logger, site.level, &site.layout, 0, 0});
  group_next_.push_back(chain);
  site.epoch = epoch_;
  site.group = group;
  return group;
}

void SpanWalker::learn_thread(runtime::Ring& ring, const std::byte* record, std::size_t size) {
  constexpr std::size_t kFixed = wire::kArgsOffset + 16;
  if (size < kFixed) return;
  const auto length = load<std::uint32_t>(record + wire::kArgsOffset + 12);
  if (length > size - kFixed) return;
  ring.thread.index = load<std::uint32_t>(record + wire::kArgsOffset);
  ring.thread.tid = load<std::uint64_t>(record + wire::kArgsOffset + 4);
  ring.thread.name.assign(reinterpret_cast<const char*>(record + kFixed), length);
  if (ring.id < thread_known_.size()) thread_known_[ring.id] = kNone;
}

void SpanWalker::end_run(runtime::Ring& ring, std::uint64_t position) {
  const auto records = static_cast<std::uint32_t>(records_ - run_first_record_);
  if (records != 0) {
    if (ring.id >= thread_known_.size()) thread_known_.resize(ring.id + 1, kNone);
    if (thread_known_[ring.id] != ring.thread.index) {
      thread_known_[ring.id] = ring.thread.index;
      wire::append_entry(new_entries_, ring.thread);
    }
    runs_.push_back({ring.thread.index, ring.id, records, run_first_seq_, position});
  }
  run_first_record_ = records_;
  run_first_seq_ += records;
}

bool SpanWalker::add(runtime::Ring& ring, std::uint64_t tail, RingCursor* cursor) {
  const std::byte* const data = ring.memory.data;
  const std::uint64_t mask = ring.memory.capacity - 1;
  if (data < base_ || static_cast<std::uint64_t>(data - base_) / 8 + ring.memory.capacity / 8 > UINT32_MAX) return false;
  const auto data_offset = static_cast<std::uint32_t>((data - base_) / 8);

  const bool convert = cursor->head < ring.counter_until;
  if (convert) tail = std::min(tail, ring.counter_until);

  const std::size_t room = std::min<std::size_t>(kMaxRecords, records_ + (tail - cursor->head) / wire::kArgsOffset);
  order_.ensure(records_, room);
  clocks_.ensure(records_, room);
  offsets_.ensure(records_, room);
  std::uint32_t* const order = order_.data();
  std::uint64_t* const clocks = clocks_.data();
  std::uint32_t* const offsets = offsets_.data();

  run_first_record_ = records_;
  run_first_seq_ = cursor->seq;
  const std::size_t first = records_;
  std::size_t n = first;
  std::uint64_t position = cursor->head;
  // The previous record's site and logger: runs of one site need no lookup.
  std::uint64_t last_key = 0;
  std::uint32_t group = kNone;
  const wire::Layout* layout = nullptr;
  const std::uint64_t stop = std::min(tail, cursor->head + kMaxBytes);
  while (position < stop && n < room) {
    const std::uint64_t offset = position & mask;
    const std::byte* const record = data + offset;
    const auto word = load<std::uint64_t>(record);
    const std::size_t size = (word >> 32 & 0xFFFF) * 8;
    const std::uint64_t key = word & 0xFFFF0000FFFFFFFFu;
    if (size < wire::kHeaderSize || size > tail - position || offset + size > mask + 1) break;
    if (key != last_key || group == kNone) {
      const auto site = static_cast<std::uint32_t>(word);
      if (site == wire::kSitePad) {
        position += size;
        continue;
      }
      if (site == wire::kSiteThread) {
        records_ = n;
        end_run(ring, position);
        learn_thread(ring, record, size);
        position += size;
        continue;
      }
      group = group_of(site, static_cast<std::uint16_t>(word >> 48));
      if (group == kNone) break;
      last_key = key;
      layout = groups_[group].layout;
    }
    if (size < layout->fixed_end || (layout->strings != 0 && !payloads_fit(*layout, record, size))) break;
    if (static_cast<std::uint32_t>(word) == wire::kSiteDropped) {
      if (ring.id >= reported_drops_.size()) reported_drops_.resize(ring.id + 1);
      reported_drops_[ring.id] += load<std::uint64_t>(record + wire::kArgsOffset);
    }
    clocks[n] = load<std::uint64_t>(record + 8);
    order[n] = group;
    offsets[n] = data_offset + static_cast<std::uint32_t>(offset / 8);
    ++n;
    position += size;
    ++groups_[group].records;
  }
  if (convert) std::transform(clocks + first, clocks + n, clocks + first, [this](std::uint64_t ticks) { return static_cast<std::uint64_t>(clock_.wall_of(ticks)); });
  records_ = n;
  if (position < stop && n < room) {  // the loop broke off: the ring is damaged from here on
    corrupt_bytes_ += tail - position;
    position = tail;
  }
  end_run(ring, position);
  bytes_ += position - cursor->head;
  cursor->head = position;
  cursor->seq = run_first_seq_;
  return true;
}

format::BlockInput SpanWalker::finish() {
  scatter_.resize(groups_.size());
  std::uint32_t first = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
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

}  // namespace steno::scribe
