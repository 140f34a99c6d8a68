#include "format/strings/templates/word_overlap.h"

#include <algorithm>

#include "format/strings/hash.h"

namespace steno::format {

bool WordOverlap::make_sketch(const std::vector<StringRef>& words, Sketch* sketch) const {
  if (words.size() < kLeastStrings || sampled_bits(StringSource::of(words)) < 8 * kLeastLength) return false;
  std::vector<std::uint64_t>& least = sketch->hashes;
  least.clear();
  const StringRef* before = nullptr;
  for (const StringRef& word : words) {
    if (before != nullptr && same_string(word, *before)) continue;
    before = &word;
    const std::uint64_t hash = hash_of(word, StringBlocks(word));
    if (least.size() == kWords && hash >= least.back()) continue;
    const auto at = std::lower_bound(least.begin(), least.end(), hash);
    if (at != least.end() && *at == hash) continue;
    least.insert(at, hash);
    if (least.size() > kWords) least.pop_back();
  }
  return least.size() >= kLeastDistinct;
}

bool WordOverlap::overlap(const Sketch& a, const Sketch& b) {
  std::size_t all = 0;
  std::size_t common = 0;
  auto x = a.hashes.begin();
  auto y = b.hashes.begin();
  for (; all < kWords && x != a.hashes.end() && y != b.hashes.end(); ++all) {
    const std::uint64_t least = std::min(*x, *y);
    common += *x == *y ? 1 : 0;
    if (*x == least) ++x;
    if (*y == least) ++y;
  }
  return all >= kLeastDistinct / 2 && common * 2 >= all;
}

std::span<const std::uint32_t> WordOverlap::find(std::span<const std::vector<StringRef>> columns) {
  joined_.resize(columns.size());
  std::size_t sketches = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    joined_[c] = static_cast<std::uint32_t>(c);
    if (sketches_.size() == sketches) sketches_.emplace_back();
    Sketch& sketch = sketches_[sketches];
    sketch.column = static_cast<std::uint32_t>(c);
    if (!make_sketch(columns[c], &sketch)) continue;
    for (std::size_t k = 0; k < sketches; ++k) {
      if (joined_[sketches_[k].column] != sketches_[k].column || !overlap(sketches_[k], sketch)) continue;
      joined_[c] = sketches_[k].column;
      break;
    }
    ++sketches;
  }
  return joined_;
}

}  // namespace steno::format
