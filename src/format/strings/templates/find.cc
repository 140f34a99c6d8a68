#include "format/strings/templates/find.h"

#include <algorithm>

namespace steno::format {
namespace {

constexpr std::uint32_t kLeastLines = 4;  // of a template: what it takes itself is about a line
constexpr std::size_t kLeastOften = 4;    // times that a word comes often ...
constexpr std::size_t kOftenShare = 64;   // ... and lines for each time

}  // namespace

void TemplateFinder::keep_words(std::size_t line) {
  const auto words = cutter_.words();
  if (kept_.size() + words.size() > kMostKept) return;
  kept_of_[line] = {static_cast<std::uint32_t>(kept_.size()), static_cast<std::uint32_t>(words.size())};
  kept_.insert(kept_.end(), words.begin(), words.end());
}

std::span<const Word> TemplateFinder::all_words_of(const StringSource& source, std::size_t line) {
  const Kept& kept = kept_of_[line];
  if (kept.first == kUncut) return {};
  if (kept.first != kNotKept) return std::span(kept_).subspan(kept.first, kept.count);
  return cutter_.cut(source.at(line)) ? cutter_.words() : std::span<const Word>();
}

std::span<const Word> TemplateFinder::words_of(const StringSource& source, std::size_t line) {
  const WordMask varying = templates_[indices_[line] - 1].varying;
  if (!out_.choose(all_words_of(source, line), varying)) return {};
  return out_.words();
}

std::span<const Word> TemplateFinder::words_of_example(const StringSource& source, const LineKind& known) {
  if (!out_.choose(all_words_of(source, known.example), known.varying)) return {};
  static_cast<void>(out_.hash_of_rest(source.at(known.example)));
  return out_.words();
}

// Lines that are the same but for their numbered words.
void TemplateFinder::count_kinds(const StringSource& source) {
  for (std::size_t i = 0; i < source.count; ++i) {
    of_line_[i] = LineKinds::kNone;
    const StringRef s = source.at(i);
    kept_of_[i] = {cutter_.cut(s) ? kNotKept : kUncut, 0};
    if (kept_of_[i].first == kUncut) continue;
    keep_words(i);
    if (!out_.choose(cutter_.words(), 0)) continue;
    of_line_[i] = kinds_.add({out_.hash_of_rest(s), static_cast<std::uint32_t>(i), 1, 0});
  }
}

void TemplateFinder::join_kinds(const StringSource& source) {
  const auto& joined = varying_.join(source, cutter_, kinds_);
  for (std::uint32_t& kind : of_line_) {
    if (kind != LineKinds::kNone) kind = joined[kind];
  }
}

void TemplateFinder::keep() {
  std::vector<std::uint32_t> to(kinds_.all().size());  // of each kind, its template + 1, or 0
  templates_.clear();
  for (std::size_t kind = 0; kind < to.size(); ++kind) {
    if (kinds_.all()[kind].lines < kLeastLines) continue;
    templates_.push_back(kinds_.all()[kind]);
    to[kind] = static_cast<std::uint32_t>(templates_.size());
  }
  for (std::size_t i = 0; i < indices_.size(); ++i) indices_[i] = of_line_[i] != LineKinds::kNone ? to[of_line_[i]] : 0;
}

// Counts the words of lines without a template. Returns how many such lines there are.
std::size_t TemplateFinder::count_words(const StringSource& source) {
  counts_.clear();
  std::size_t left = 0;
  for (std::size_t i = 0; i < source.count; ++i) {
    if (indices_[i] != 0) continue;
    ++left;
    const StringRef s = source.at(i);
    for (const Word word : all_words_of(source, i)) {
      if (word.numbered == 0) counts_.add(s.data + word.begin, word.end - word.begin);
    }
  }
  return left;
}

// Lines without a template that are the same but for their numbered words and those that come seldom.
void TemplateFinder::count_seldom(const StringSource& source, std::size_t left) {
  const auto often = static_cast<std::uint32_t>(std::max(kLeastOften, left / kOftenShare));
  kinds_.clear();
  std::vector<std::uint32_t> kind_of;  // of each template; more lines may have them
  for (LineKind known : templates_) {
    static_cast<void>(out_.choose(all_words_of(source, known.example), known.varying));
    known.hash = out_.hash_of_rest(source.at(known.example));
    kind_of.push_back(kinds_.add(known));
  }
  for (std::size_t i = 0; i < source.count; ++i) {
    if (indices_[i] != 0) {
      of_line_[i] = kind_of[indices_[i] - 1];
      continue;
    }
    of_line_[i] = LineKinds::kNone;
    if (kept_of_[i].first == kUncut) continue;
    const StringRef s = source.at(i);
    const auto words = all_words_of(source, i);
    WordMask seldom = 0;
    for (std::size_t w = 0; w < std::min(words.size(), kMaskedWords); ++w) {
      if (words[w].numbered == 0 && counts_.of(s.data + words[w].begin, words[w].end - words[w].begin) < often)
        seldom |= WordMask{1} << w;
    }
    if (!out_.choose(words, seldom)) continue;
    of_line_[i] = kinds_.add({out_.hash_of_rest(s), static_cast<std::uint32_t>(i), 1, seldom});
  }
}

void TemplateFinder::find(const StringSource& source) {
  indices_.assign(source.count, 0);
  of_line_.resize(source.count);
  kept_of_.resize(source.count);
  kept_.clear();
  kinds_.clear();
  count_kinds(source);
  join_kinds(source);
  keep();
  const std::size_t left = count_words(source);
  if (left == 0) return;
  count_seldom(source, left);
  keep();
}

}  // namespace steno::format
