#include "query/statistics/duration_quantiles.h"

#include <algorithm>

#include "query/ordered.h"

namespace steno::query {
namespace {

constexpr std::size_t kMostSample = std::size_t{1} << 20;

std::int64_t duration_of(std::uint64_t key) {
  return static_cast<std::int64_t>(key ^ kSignBit);
}

}  // namespace

DurationQuantiles::DurationQuantiles(std::vector<double> quantiles, std::size_t room)
    : quantiles_(std::move(quantiles)),
      room_(std::max<std::size_t>(room, format::kMiniBlock)),
      search_(1, std::min(room_, kMostGathered)) {}

void DurationQuantiles::add(std::int64_t duration) {
  const std::uint64_t key = static_cast<std::uint64_t>(duration) ^ kSignBit;
  if (first_) moments_.add(NumberKind::kSigned, key, {.extremes = true, .sum = true});
  kept_.push_back(key);
  if (way_ == Way::kKeep) {
    if (kept_.size() == room_) start_guess();
  } else if (kept_.size() == format::kMiniBlock) {
    show();
  }
}

void DurationQuantiles::start_guess() {
  std::vector<std::uint64_t> sample;
  const std::size_t step = kept_.size() / kMostSample + 1;
  for (std::size_t i = 0; i < kept_.size(); i += step) sample.push_back(kept_[i]);
  guess_.emplace(1, quantiles_, std::move(sample));
  way_ = Way::kGuess;
  show();
  kept_ = {};
}

// Passes the kept values to the search for quantiles.
void DurationQuantiles::show() {
  for (std::size_t at = 0; at < kept_.size(); at += format::kMiniBlock) {
    Numbers numbers;
    numbers.n = std::min(format::kMiniBlock, kept_.size() - at);
    numbers.values = kept_.data() + at;
    const auto [least, greatest] = std::minmax_element(numbers.values, numbers.values + numbers.n);
    if (way_ == Way::kSearch) {
      search_.take(0, 0, *least, *greatest, numbers, 0);
    } else if (guess_->wants(*least, *greatest)) {
      guess_->take(0, *least, *greatest, numbers, 0);
    } else {
      guess_->count(0, *least, *greatest, numbers.n);
    }
  }
  kept_.clear();
}

bool DurationQuantiles::end_of_sweep() {
  first_ = false;
  if (moments_.count == 0) return false;
  if (way_ != Way::kKeep) show();
  if (way_ == Way::kSearch) {
    search_.end_round();
    return begin_round();
  }
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < quantiles_.size(); ++i) {
    const std::uint64_t rank = rank_of(quantiles_[i], moments_.count);
    std::uint64_t key = 0;
    if (way_ == Way::kKeep) {
      const auto at = kept_.begin() + static_cast<std::ptrdiff_t>(rank);
      std::nth_element(kept_.begin(), at, kept_.end());
      key = *at;
    } else if (!guess_->find(i, rank, &key)) {
      break;
    }
    found.push_back(key);
  }
  if (found.size() == quantiles_.size()) {
    for (const std::uint64_t key : found) results_.push_back(duration_of(key));
    return false;
  }
  guess_.reset();
  way_ = Way::kSearch;
  for (const double quantile : quantiles_) {
    search_.add_target(0, rank_of(quantile, moments_.count), moments_.least, moments_.greatest, moments_.count, 0);
  }
  return begin_round();
}

bool DurationQuantiles::begin_round() {
  if (search_.begin_round()) return true;
  for (std::size_t i = 0; i < quantiles_.size(); ++i) results_.push_back(duration_of(search_.result(i)));
  return false;
}

}  // namespace steno::query
