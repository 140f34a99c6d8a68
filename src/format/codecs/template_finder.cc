#include "format/codecs/template_finder.h"

#include <algorithm>

namespace steno::format {
namespace {

constexpr std::size_t kLeastSlots = 256;
constexpr std::uint32_t kLeastLines = 4;  // of a template: what it takes itself is about a line
constexpr std::size_t kLeastOften = 4;    // times that a word comes often ...
constexpr std::size_t kOftenShare = 64;   // ... and lines for each time

}  // namespace

void TemplateFinder::Kinds::clear() {
  all_.clear();
  slots_.assign(kLeastSlots, 0);
}

void TemplateFinder::Kinds::grow() {
  slots_.assign(slots_.size() * 4, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t kind = 0; kind < all_.size(); ++kind) {
    std::size_t slot = all_[kind].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(kind + 1);
  }
}

std::uint32_t TemplateFinder::Kinds::add(std::uint64_t hash, std::uint32_t line, WordsOut out) {
  constexpr std::size_t kMostProbes = 64;  // lines that fight the hash have no template
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe, slot = (slot + 1) & mask) {
    if (slots_[slot] != 0) {
      Template& known = all_[slots_[slot] - 1];
      if (known.hash != hash) continue;
      ++known.lines;
      return slots_[slot] - 1;
    }
    if (all_.size() == kMostKinds) break;
    all_.push_back({hash, line, 1, out});
    slots_[slot] = static_cast<std::uint32_t>(all_.size());
    if (all_.size() * 2 > slots_.size()) grow();
    return static_cast<std::uint32_t>(all_.size() - 1);
  }
  return kNoKind;
}

void TemplateFinder::count(const StringSource& source, WordsOut out) {
  kinds_.clear();
  for (std::size_t i = 0; i < source.count; ++i) {
    of_line_[i] = kNoKind;
    if (indices_[i] != 0) continue;
    const StringRef s = source.at(i);
    if (!cutter_.cut(s, out)) continue;
    of_line_[i] = kinds_.add(cutter_.hash_of_rest(s), static_cast<std::uint32_t>(i), out);
    keep_words(i);
  }
}

void TemplateFinder::keep(std::size_t least) {
  to_.assign(kinds_.all().size(), 0);
  for (std::size_t kind = 0; kind < to_.size(); ++kind) {
    if (kinds_.all()[kind].lines < least) continue;
    templates_.push_back(kinds_.all()[kind]);
    to_[kind] = static_cast<std::uint32_t>(templates_.size());
  }
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    if (of_line_[i] != kNoKind) indices_[i] = to_[of_line_[i]];
  }
}

void TemplateFinder::keep_words(std::size_t line) {
  const auto words = cutter_.words();
  kept_of_[line] = {kNotKept, 0};
  if (kept_.size() + words.size() > kMostKept) return;
  kept_of_[line] = {static_cast<std::uint32_t>(kept_.size()), static_cast<std::uint32_t>(words.size())};
  kept_.insert(kept_.end(), words.begin(), words.end());
}

std::span<const WordCutter::Word> TemplateFinder::words_of(const StringSource& source, std::size_t line) {
  const Kept& kept = kept_of_[line];
  if (kept.first != kNotKept) return std::span(kept_).subspan(kept.first, kept.count);
  static_cast<void>(cutter_.cut(source.at(line), templates_[indices_[line] - 1].out));  // true as it was before
  return cutter_.words();
}

std::span<const WordCutter::Word> TemplateFinder::words_of_example(const StringSource& source, const Template& known) {
  const StringRef example = source.at(known.example);
  static_cast<void>(cutter_.cut(example, known.out));
  static_cast<void>(cutter_.hash_of_rest(example));
  return cutter_.words();
}

void TemplateFinder::count_words(const StringSource& source) {
  counts_.clear();
  std::size_t left = 0;
  for (std::size_t i = 0; i < source.count; ++i) {
    if (indices_[i] != 0) continue;
    cutter_.count_words(source.at(i), &counts_);
    ++left;
  }
  cutter_.set_counts(&counts_, static_cast<std::uint32_t>(std::max<std::size_t>(kLeastOften, left / kOftenShare)));
}

void TemplateFinder::find(const StringSource& source) {
  templates_.clear();
  indices_.assign(source.count, 0);
  of_line_.resize(source.count);
  kept_of_.resize(source.count);
  kept_.clear();
  for (const WordsOut out : {WordsOut::kNumbered, WordsOut::kSeldom}) {
    if (out == WordsOut::kSeldom) count_words(source);
    count(source, out);
    keep(kLeastLines);
  }
}

}  // namespace steno::format
