#include "format/strings/templates/varying_words.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "format/strings/hash.h"

namespace steno::format {
namespace {

constexpr std::uint32_t kLeastKinds = 16;  // that differ in a word, for it to vary
constexpr std::uint32_t kMostLines = 256;  // of each, on average: with more it is worth a template of its own
constexpr int kRounds = 3;                 // words of a kind that may vary

// The share of a word, or of a text between two, in the hash of a line.
std::uint64_t hash_at(std::uint64_t hash, std::size_t place) {
  return mix(hash ^ 0x9E3779B97F4A7C15, 2 * place + 0xD6E8FEB86659FD93);
}

std::uint64_t varying_at(std::size_t place) {
  return hash_at(0, place);
}

}  // namespace

// Sets the hashes of the kinds.
void VaryingWords::list_candidates(const StringSource& source, WordCutter& cutter, std::vector<LineKind>& kinds) {
  candidates_.clear();
  first_.clear();
  for (LineKind& kind : kinds) {
    first_.push_back(static_cast<std::uint32_t>(candidates_.size()));
    const StringRef s = source.at(kind.example);
    static_cast<void>(cutter.cut(s));  // true as it was before
    const auto words = cutter.words();
    std::uint64_t hash = 0;
    std::uint32_t at = 0;
    for (std::size_t w = 0; w < words.size(); ++w) {
      hash += hash_at(word_hash(s.data + at, words[w].begin - at), 2 * w);
      at = words[w].end;
      std::uint64_t own = varying_at(2 * w + 1);
      if (!varies(words[w], w, kind.varying)) {
        const std::uint64_t other = own;
        own = hash_at(word_hash(s.data + words[w].begin, words[w].end - words[w].begin), 2 * w + 1);
        if (w < kMaskedWords && candidates_.size() < kMostCandidates)
          candidates_.push_back({other - own, static_cast<std::uint8_t>(w)});
      }
      hash += own;
    }
    kind.hash = hash + hash_at(word_hash(s.data + at, s.size - at), 2 * words.size());
  }
  first_.push_back(static_cast<std::uint32_t>(candidates_.size()));
}

// For each kind the word in which most others differ. False: none.
bool VaryingWords::choose_words(std::vector<LineKind>& kinds) {
  groups_.assign(std::bit_ceil(candidates_.size() * 2 + 1), Group());  // without a look at hashes: few share one
  const auto group_of = [&](const LineKind& kind, const Candidate& candidate) -> Group& {
    return groups_[(kind.hash + candidate.change) % groups_.size()];
  };
  const auto each = [&](std::size_t k, const auto& visit) {
    const std::uint32_t of = of_kind_[k];
    for (std::uint32_t c = first_[of]; c < first_[of + 1]; ++c) {
      if ((kinds[k].varying >> candidates_[c].word & 1) == 0) visit(candidates_[c]);
    }
  };
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    each(k, [&](const Candidate& candidate) {
      Group& group = group_of(kinds[k], candidate);
      ++group.kinds;
      group.lines += kinds[k].lines;
    });
  }
  bool any = false;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const Candidate* best = nullptr;
    std::uint32_t most = kLeastKinds - 1;
    each(k, [&](const Candidate& candidate) {
      const Group& group = group_of(kinds[k], candidate);
      if (group.kinds <= most || group.lines / kMostLines > group.kinds) return;
      most = group.kinds;
      best = &candidate;
    });
    if (best == nullptr) continue;
    kinds[k].hash += best->change;
    kinds[k].varying |= WordMask{1} << best->word;
    any = true;
  }
  return any;
}

const std::vector<std::uint32_t>& VaryingWords::join(const StringSource& source, WordCutter& cutter, LineKinds& kinds) {
  joined_.resize(kinds.all().size());
  std::iota(joined_.begin(), joined_.end(), 0);
  if (joined_.size() < kLeastKinds) return joined_;
  list_candidates(source, cutter, kinds.all());
  of_kind_ = joined_;
  for (int round = 0; round < kRounds && choose_words(kinds.all()); ++round) {
    left_.clear();
    std::vector<std::uint32_t> to;
    std::vector<std::uint32_t> of_kind;
    for (std::size_t k = 0; k < kinds.all().size(); ++k) {
      to.push_back(left_.add(kinds.all()[k]));
      if (to.back() == of_kind.size()) of_kind.push_back(of_kind_[k]);
    }
    for (std::uint32_t& kind : joined_) kind = kind == LineKinds::kNone ? kind : to[kind];
    std::swap(kinds, left_);
    of_kind_ = std::move(of_kind);
  }
  return joined_;
}

}  // namespace steno::format
