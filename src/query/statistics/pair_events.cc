#include "query/statistics/pair_events.h"

#include <algorithm>

#include "base/checksum.h"
#include "base/parallel.h"
#include "query/ordered.h"

namespace steno::query {
namespace {

// Multiplication by an odd number is one to one, and can be undone.
constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kGather = 0xF1DE83E19937733D;
static_assert(kSpread * kGather == 1);

// Halves until there is a piece for each thread; each piece is then sorted by one.
void sort_events(std::span<Event> events, unsigned threads) {
  std::vector<std::span<Event>> pieces = {events};
  while (pieces.size() < threads && pieces.size() * 4096 < events.size()) {
    std::vector<std::span<Event>> halves;
    for (const std::span<Event> piece : pieces) {
      const std::size_t half = piece.size() / 2;
      std::nth_element(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(half), piece.end());
      halves.push_back(piece.first(half));
      halves.push_back(piece.subspan(half));
    }
    pieces = std::move(halves);
  }
  in_parallel(pieces.size(), 1, threads,
              [&](unsigned, std::size_t i, std::size_t) { std::sort(pieces[i].begin(), pieces[i].end()); });
}

}  // namespace

KeyBits KeyBits::of_text(std::string_view text) {
  return {xxh3(text.data(), text.size(), 1), xxh3(text.data(), text.size(), 2)};
}

KeyBits KeyBits::of_number(ArgType type, std::uint64_t value) {
  if (kind_of_type(type) == NumberKind::kReal) {
    const double real = type == ArgType::kF32
                            ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value)))
                            : std::bit_cast<double>(value);
    return {std::bit_cast<std::uint64_t>(as_one(real)) * kSpread, 0};
  }
  const bool negative = is_signed_integer(type) && static_cast<std::int64_t>(value) < 0;
  return {value * kSpread, negative ? ~std::uint64_t{0} : 0};
}

bool before_as_number(const KeyBits& a, const KeyBits& b) {
  return a.low != b.low ? a.low < b.low : a.high * kGather < b.high * kGather;
}

EventRoom::EventRoom(std::size_t room, unsigned workers)
    : room_(std::max<std::size_t>(room, kBatch * 4 * workers)),
      workers_(workers),
      events_(std::make_unique_for_overwrite<Event[]>(room_)),
      batches_(workers) {}

void EventRoom::begin_pass(std::uint64_t expected) {
  from_ = cut_;
  cut_.reset();
  used_ = 0;
  const double share = 0.95 * static_cast<double>(room_) / static_cast<double>(std::max<std::uint64_t>(expected, 1));
  if (expected > room_ && even_) {
    const std::uint64_t first = from_ ? from_->key.high : 0;
    const std::uint64_t step = static_cast<std::uint64_t>(static_cast<double>(UINT64_MAX - first) * share);
    if (step != 0) cut_ = Event{{first + step, 0}, INT64_MIN, 0};
  }
  for (Batch& batch : batches_) {
    batch.events.reserve(kBatch);
    batch.cut = cut_;
  }
}

void EventRoom::flush(Batch& batch) {
  const std::lock_guard lock(mutex_);
  for (const Event& event : batch.events) {
    if (cut_ && !(event < *cut_)) continue;
    if (used_ == room_) {
      lower_cut();
      if (!(event < *cut_)) continue;
    }
    events_[used_++] = event;
  }
  batch.events.clear();
  batch.cut = cut_;
}

// To three quarters of what is there: less would waste the pass, more would be done again too soon.
void EventRoom::lower_cut() {
  Event* const begin = events_.get();
  Event* const end = begin + used_;
  Event* middle = begin + used_ / 4 * 3;
  std::nth_element(begin, middle, end);
  cut_ = *middle;
  used_ = static_cast<std::size_t>(std::partition(begin, end, [this](const Event& e) { return e < *cut_; }) - begin);
  if (used_ == 0) stuck_ = true;
}

std::span<const Event> EventRoom::end_pass() {
  for (Batch& batch : batches_) flush(batch);
  even_ = used_ > room_ / 2;
  const std::span<Event> all(events_.get(), used_);
  sort_events(all, workers_);
  return all;
}

}  // namespace steno::query
