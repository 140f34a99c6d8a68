// `pair --by`: which group a record of one of the two statements belongs to.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "query/statistics/key_reader.h"

namespace steno::query {

// Groups are numbered in the order of their keys, whatever order blocks are read in.
class PairGroups {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;  // a record that does not have a value of a key
  static constexpr std::size_t kMost = 10'000;

  // `specs` must outlive this; of none all records are of group 0.
  PairGroups(const std::vector<KeySpec>& specs, unsigned workers);

  bool any() const { return !specs_.empty(); }
  // For a first walk: notes the keys of a part's rows, by one worker at a time for each number. False: there are more
  // than kMost.
  bool learn(unsigned worker, const Part& part);
  // The first walk is over.
  void settle();

  std::size_t size() const { return any() ? bounds_.size() : 1; }
  // Takes a part for group_of().
  void read(unsigned worker, const Part& part);
  std::uint32_t group_of(unsigned worker, std::size_t row);
  // Its keys, a cell each.
  std::vector<Cell> cells(std::uint32_t group) const;

 private:
  struct Worker {
    Interner texts;
    std::unique_ptr<KeyReader> reader;
    std::unordered_map<Key, std::uint32_t, KeyHash> known;  // index in `keys`, once settled the group
    std::vector<Key> keys;
    std::vector<const std::uint64_t*> present;  // flags, one for each spec; nullptr: all rows have it
    std::vector<std::uint64_t> values;          // by which they say that it is present
    std::vector<std::size_t> lengths;
    bool lacks = false;  // the part's statement does not have one of the keys
  };
  bool has(const Worker& worker, std::size_t row) const;
  std::uint32_t find(const Worker& worker, const Key& key) const;

  const std::vector<KeySpec>& specs_;
  KeyOrder order_;
  std::vector<Worker> workers_;
  std::vector<KeyBound> bounds_;  // by group
  std::vector<std::vector<Cell>> cells_;
};

}  // namespace steno::query
