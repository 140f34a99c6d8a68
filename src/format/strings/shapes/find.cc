#include "format/strings/shapes/find.h"

#include <algorithm>

namespace steno::format {
namespace {

constexpr std::size_t kLeastSampled = 16;

bool word_at(std::string_view text, std::size_t i) {
  return is_word_byte(static_cast<std::uint8_t>(text[i]));
}

}  // namespace

void ShapeFinder::find(const StringSource& source) {
  shapes_.clear();
  estimate_ = {};
  take_sample(source);
  find_clusters();
  split_clusters();
  const std::size_t least = std::max<std::size_t>(2, sample_.size() / 32);
  for (const Cluster& cluster : clusters_) {
    if (cluster.size() >= least && shapes_.size() < kMaxShapes && infer(cluster)) continue;
    for (const std::uint32_t i : cluster) {
      const std::size_t bits = 8 * sample_[i].text.size() + kLengthBits;
      estimate_.shaped += bits;
      estimate_.texts += bits;
    }
  }
}

void ShapeFinder::take_sample(const StringSource& source) {
  sample_.clear();
  words_.clear();
  column_.clear();
  const std::size_t n = source.count;
  const std::size_t sampled = std::min(n, std::clamp(n / 16, kLeastSampled, kMostSampled));
  for (std::size_t k = 0; k < sampled; ++k) {
    // One of each stretch, but not at equal distances: of what alternates in the log only one half would be seen.
    const std::size_t begin = n * k / sampled;
    const std::size_t end = n * (k + 1) / sampled;
    const StringRef s = source.at(begin + (k * 0x9E3779B9u >> 8) % (end - begin));
    const std::string_view text = s.view();
    column_.push_back(text);
    estimate_.raw += 8 * text.size() + kLengthBits;
    cut(s.is_null() ? std::string_view() : text);
  }
  distinct_ = count_distinct(column_);
}

void ShapeFinder::cut(std::string_view text) {
  Cut c;
  c.text = text;
  c.first_word = static_cast<std::uint32_t>(words_.size());
  for (std::size_t at = 0; text.size() <= kLongest && at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && word_at(text, at)) ++at;
    if (at != begin) words_.push_back(text.substr(begin, at - begin));
    while (at < text.size() && !word_at(text, at)) ++at;
  }
  c.words = static_cast<std::uint32_t>(words_.size()) - c.first_word;
  if (c.words > kMostWords) {
    words_.resize(c.first_word);
    c.words = 0;
  }
  sample_.push_back(c);
}

std::string_view ShapeFinder::separator(const Cut& c, std::uint32_t k) const {
  const char* begin = c.text.data();
  if (k != 0) begin = words_[c.first_word + k - 1].data() + words_[c.first_word + k - 1].size();
  const char* end = k == c.words ? c.text.data() + c.text.size() : words_[c.first_word + k].data();
  return {begin, static_cast<std::size_t>(end - begin)};
}

bool ShapeFinder::same_separators(const Cut& a, const Cut& b) const {
  if (a.words != b.words) return false;
  for (std::uint32_t k = 0; k <= a.words; ++k) {
    if (separator(a, k) != separator(b, k)) return false;
  }
  return true;
}

void ShapeFinder::find_clusters() {
  clusters_.clear();
  for (std::uint32_t i = 0; i < sample_.size(); ++i) {
    const Cut& c = sample_[i];
    const auto same = std::find_if(clusters_.begin(), clusters_.end(), [&](const Cluster& cluster) {
      return c.words != 0 && same_separators(c, sample_[cluster[0]]);
    });
    if (same != clusters_.end()) {
      same->push_back(i);
    } else {
      clusters_.push_back({i});
    }
  }
}

void ShapeFinder::gather_words(const Cluster& cluster, std::uint32_t k) {
  column_.clear();
  for (const std::uint32_t i : cluster) column_.push_back(words_[sample_[i].first_word + k]);
}

void ShapeFinder::split(std::size_t cluster, std::uint32_t k) {
  const auto class_of = [&](std::uint32_t i) { return word_class(words_[sample_[i].first_word + k]); };
  Cluster rest;
  rest.swap(clusters_[cluster]);
  const std::size_t first_new = clusters_.size();
  for (const std::uint32_t i : rest) {
    Cluster* to = &clusters_[cluster];
    if (!to->empty() && class_of(i) != class_of(to->front())) {
      const auto same = std::find_if(clusters_.begin() + static_cast<std::ptrdiff_t>(first_new), clusters_.end(),
                                     [&](const Cluster& c) { return class_of(i) == class_of(c.front()); });
      to = same != clusters_.end() ? &*same : &clusters_.emplace_back();
    }
    to->push_back(i);
  }
}

void ShapeFinder::split_clusters() {
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    const std::uint32_t words = sample_[clusters_[c][0]].words;
    for (std::uint32_t k = 0; k < words && clusters_[c].size() > 1; ++k) {
      gather_words(clusters_[c], k);
      if (!has_shape(column_)) split(c, k);
    }
  }
  std::stable_sort(clusters_.begin(), clusters_.end(),
                   [](const Cluster& a, const Cluster& b) { return a.size() > b.size(); });
}

bool ShapeFinder::infer(const Cluster& cluster) {
  const Cut& example = sample_[cluster[0]];
  if (example.words == 0) return false;
  Shape shape;
  ShapeEstimate estimate = estimate_;
  for (std::uint32_t k = 0; k < example.words; ++k) {
    append_constant(separator(example, k), &shape);
    gather_words(cluster, k);
    append_word(column_, &shape, &estimate);
  }
  append_constant(separator(example, example.words), &shape);
  if (shape.pieces.size() > kMaxPieces) return false;
  estimate_ = estimate;
  shapes_.push_back(std::move(shape));
  return true;
}

}  // namespace steno::format
