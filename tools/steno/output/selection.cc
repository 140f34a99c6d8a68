#include "output/selection.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace steno::cli {
namespace {

using reader::SharedBlock;
using reader::Slab;
using reader::Slice;

class Head final : public Selection {
 public:
  explicit Head(std::uint64_t n) : left_(n) {}

  void take(Slab*, Slices* slices) override {
    std::size_t kept = 0;
    for (; kept < slices->size() && left_ != 0; ++kept) {
      Slice& slice = (*slices)[kept];
      slice.end = slice.begin + static_cast<std::uint32_t>(std::min<std::uint64_t>(left_, slice.end - slice.begin));
      left_ -= slice.end - slice.begin;
    }
    slices->resize(kept);
  }
  bool done() const override { return left_ == 0; }

 private:
  std::uint64_t left_;
};

class ContextSelection final : public Selection {
 public:
  explicit ContextSelection(const Context& context) : context_(context) {}

  void take(Slab* slab, Slices* slices) override {
    std::unordered_map<const reader::DecodedBlock*, std::shared_ptr<SharedBlock>> owners;
    for (const auto& block : slab->blocks) owners[&block->block()] = block;
    Slices chosen;
    for (const Slice& slice : *slices) {
      if (done()) break;
      split(slice, owners[slice.block], slab, &chosen);
    }
    *slices = std::move(chosen);
  }

  bool done() const override { return context_.head && *context_.head == 0 && after_left_ == 0; }

 private:
  struct Passed {
    Slice slice;
    std::shared_ptr<SharedBlock> owner;
  };

  void split(Slice slice, const std::shared_ptr<SharedBlock>& owner, Slab* slab, Slices* chosen) {
    const std::span<const std::uint8_t> keep = owner->keep();
    const std::uint32_t end = slice.end;
    while (slice.begin < end) {
      std::uint32_t at = slice.begin;
      const bool wanted = keep.empty() || keep[at] != 0;
      while (at < end && (keep.empty() || keep[at] != 0) == wanted) ++at;
      slice.end = at;
      if (wanted) {
        print_wanted(slice, slab, chosen);
      } else {
        pass(slice, owner, chosen);
      }
      slice.begin = at;
    }
  }

  void print_wanted(Slice slice, Slab* slab, Slices* chosen) {
    if (context_.head) {
      slice.end =
          slice.begin + static_cast<std::uint32_t>(std::min<std::uint64_t>(*context_.head, slice.end - slice.begin));
      *context_.head -= slice.end - slice.begin;
      if (slice.begin == slice.end) return;
    }
    if (gap_ && printed_) chosen->push_back({});
    for (Passed& passed : passed_) {
      chosen->push_back(passed.slice);
      slab->blocks.push_back(std::move(passed.owner));
    }
    passed_.clear();
    passed_records_ = 0;
    chosen->push_back(slice);
    printed_ = true;
    gap_ = false;
    after_left_ = context_.after;
  }

  // Records that do not match: some follow a match, others may precede one.
  void pass(Slice slice, const std::shared_ptr<SharedBlock>& owner, Slices* chosen) {
    const auto after = static_cast<std::uint32_t>(std::min<std::uint64_t>(after_left_, slice.end - slice.begin));
    if (after != 0) {
      chosen->push_back({slice.block, slice.thread, slice.begin, slice.begin + after});
      after_left_ -= after;
      slice.begin += after;
    }
    if (slice.begin == slice.end) return;
    passed_.push_back({slice, owner});
    passed_records_ += slice.end - slice.begin;
    while (passed_records_ > context_.before) {
      gap_ = true;
      Slice& first = passed_.front().slice;
      const std::uint64_t excess = passed_records_ - context_.before;
      const auto drop = static_cast<std::uint32_t>(std::min<std::uint64_t>(excess, first.end - first.begin));
      first.begin += drop;
      passed_records_ -= drop;
      if (first.begin == first.end) passed_.pop_front();
    }
  }

  Context context_;
  std::deque<Passed> passed_;  // the last ones that were not printed
  std::uint64_t passed_records_ = 0;
  std::uint64_t after_left_ = 0;
  bool gap_ = false;
  bool printed_ = false;
};

}  // namespace

std::unique_ptr<Selection> select_head(std::uint64_t n) {
  return std::make_unique<Head>(n);
}

std::unique_ptr<Selection> select_context(const Context& context) {
  return std::make_unique<ContextSelection>(context);
}

void keep_last(std::uint64_t n, Slices* slices) {
  std::size_t first = slices->size();
  for (; first != 0 && n != 0; --first) {
    Slice& slice = (*slices)[first - 1];
    slice.begin = slice.end - static_cast<std::uint32_t>(std::min<std::uint64_t>(n, slice.end - slice.begin));
    n -= slice.end - slice.begin;
  }
  slices->erase(slices->begin(), slices->begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace steno::cli
