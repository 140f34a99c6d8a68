// Finds the shapes of a column's strings in a sample of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "format/strings/codec.h"
#include "format/strings/shapes/shape.h"
#include "format/strings/shapes/words.h"

namespace steno::format {

// One per writer, used again and again. Cuts the strings of a sample into words and separators, takes those with the
// same separators together, and looks at what their words have in common. Work is bounded: kMostSampled strings, of
// which long ones and those of many words are left out.
class ShapeFinder {
 public:
  static constexpr std::size_t kMostSampled = 128;
  static constexpr std::size_t kLongest = 1024;
  static constexpr std::size_t kMostWords = 64;

  // Requires source.count >= 1. The shapes are in the order of their frequency.
  void find(const StringSource& source);

  const std::vector<Shape>& shapes() const { return shapes_; }
  const ShapeEstimate& estimate() const { return estimate_; }  // of the sample
  std::size_t sampled() const { return sample_.size(); }
  std::size_t distinct() const { return distinct_; }  // of the sample

 private:
  struct Cut {
    std::string_view text;
    std::uint32_t first_word = 0;  // index into words_
    std::uint32_t words = 0;       // 0: has no shape
  };
  using Cluster = std::vector<std::uint32_t>;  // indices into sample_

  void take_sample(const StringSource& source);
  void cut(std::string_view text);
  // The bytes before word k of a string, back to the word before; k may be the number of words.
  std::string_view separator(const Cut& c, std::uint32_t k) const;
  bool same_separators(const Cut& a, const Cut& b) const;
  void find_clusters();
  // Splits those that have words without a shape in common, if words of one class have one.
  void split_clusters();
  // The words at place k of a cluster's members, in column_.
  void gather_words(const Cluster& cluster, std::uint32_t k);
  // Moves the members whose word at place k is of another class than the first one's to new clusters, appended.
  void split(std::size_t cluster, std::uint32_t k);
  // Appends the shape of a cluster. False: it would have too many pieces.
  bool infer(const Cluster& cluster);

  std::vector<Cut> sample_;
  std::vector<std::string_view> words_;
  std::vector<Cluster> clusters_;
  std::vector<std::string_view> column_;  // the same word of each member of a cluster
  std::vector<Shape> shapes_;
  ShapeEstimate estimate_;
  std::size_t distinct_ = 0;
};

}  // namespace steno::format
