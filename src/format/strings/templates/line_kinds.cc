#include "format/strings/templates/line_kinds.h"

namespace steno::format {
namespace {

constexpr std::size_t kLeastSlots = 256;

}  // namespace

void LineKinds::clear() {
  all_.clear();
  slots_.assign(kLeastSlots, 0);
}

void LineKinds::grow() {
  slots_.assign(slots_.size() * 4, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t kind = 0; kind < all_.size(); ++kind) {
    std::size_t slot = all_[kind].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(kind + 1);
  }
}

std::uint32_t LineKinds::add(const LineKind& kind) {
  constexpr std::size_t kMostProbes = 64;  // lines that fight the hash have no kind
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = kind.hash & mask;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe, slot = (slot + 1) & mask) {
    if (slots_[slot] != 0) {
      LineKind& known = all_[slots_[slot] - 1];
      if (known.hash != kind.hash) continue;
      known.lines += kind.lines;
      known.varying |= kind.varying;  // a word that has no digit in one of its lines has some in another
      return slots_[slot] - 1;
    }
    if (all_.size() == kMost) break;
    all_.push_back(kind);
    slots_[slot] = static_cast<std::uint32_t>(all_.size());
    if (all_.size() * 2 > slots_.size()) grow();
    return static_cast<std::uint32_t>(all_.size() - 1);
  }
  return kNone;
}

}  // namespace steno::format
