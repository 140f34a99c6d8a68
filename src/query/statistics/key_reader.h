// The keys of the rows of a part: which group each belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "query/statistics/grouping.h"
#include "query/statistics/key_codes.h"
#include "query/statistics/key_range.h"
#include "query/statistics/parts.h"
#include "query/statistics/text_codes.h"
#include "query/statistics/time_steps.h"

namespace steno::query {

// Finds the keys of a part's rows. One a thread.
class KeyReader {
 public:
  // Texts are added to the interner,
  KeyReader(const std::vector<KeySpec>& specs, Interner* own) : specs_(specs), own_(own) {}
  // or, from here on, only looked up in another; nullptr: no longer.
  void look_up_in(const Interner* shared) { shared_ = shared; }

  // True: all rows have the same key. The range stays until the next call.
  bool read(const Part& part, const KeyRange& range);
  // Returns whether the key of a row is in the range.
  bool in_range(std::size_t row) const {
    return (range_->from == std::nullopt || sign_of(row, kFrom) >= 0) &&
           (range_->cut == std::nullopt || sign_of(row, kCut) < (range_->cut->hash != 0 ? 1 : 0));
  }
  // Requires that it is in the range.
  const Key& at(std::size_t row);

  // Codes of the rows of the part that was read, below code_count(), so that a key is looked up once for each. Rows
  // with one code have one key. Empty if there are too many keys for that, or one for all. Codes of rows that are not
  // kept: any. Until the next read().
  std::span<const std::uint32_t> codes();
  std::size_t code_count() const { return code_count_; }
  // The key of the rows that have this code. Requires that there is one, and that it is in the range.
  const Key& of_code(std::uint32_t code);

 private:
  enum Bound { kFrom, kCut };
  struct Column {
    bool varying = false;
    std::vector<std::uint64_t> values;  // by row, or a single one; of texts their indices
    TextTable texts;
    std::vector<std::uint64_t> ids;         // of the texts, once interned
    std::array<std::vector<int>, 2> signs;  // of the texts, compared with the bounds
    KeyCodes codes;                         // of numbers that vary
    std::size_t code_count = 0;             // if it varies
    void set_text(std::string_view text) {
      texts.add(text);
      values.push_back(0);
    }
  };

  void read_one(const KeySpec& spec, const Part& part, Column* column);
  void read_field(Field field, const Part& part, Column* column);
  void read_threads(const Part& part, Column* column);
  void read_tids(const Part& part, Column* column);
  void read_sequences(const Part& part, Column* column);
  void read_messages(const Part& part, Column* column);
  void read_times(const TimeSteps& steps, const Part& part, Column* column);
  void read_argument(std::uint32_t index, const Part& part, Column* column);
  int sign_of(std::size_t row, Bound which) const;
  std::uint64_t intern(Column& column, std::uint64_t index);
  bool add_codes(std::size_t k, std::size_t most);

  const std::vector<KeySpec>& specs_;
  Interner* own_;
  const Interner* shared_ = nullptr;
  const KeyRange* range_ = nullptr;
  Key key_{};
  std::array<Column, kMaxKeys> columns_;
  std::size_t varying_ = 0;
  TextCodes argument_;
  std::vector<std::uint32_t> codes_;
  std::size_t code_count_ = 0;
};

// Finds the group of each row of a part, after KeyReader::read(): each code's once, or where the key differs from the
// last row's. `find(key)` returns it, or kNone.
template <class Find>
class RowGroups {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  RowGroups(KeyReader& keys, Find find) : keys_(keys), find_(std::move(find)), codes_(keys.codes()) {
    if (!codes_.empty()) of_code_.assign(keys.code_count(), kUnknown);
  }

  std::span<const std::uint32_t> codes() const { return codes_; }
  std::uint32_t of_code(std::uint32_t code) {
    std::uint32_t& known = of_code_[code];
    if (known == kUnknown) known = find_(keys_.of_code(code));
    return known;
  }
  // Requires that the row's key is in the range.
  std::uint32_t of(std::size_t row) {
    if (!codes_.empty()) return of_code(codes_[row]);
    if (const Key& key = keys_.at(row); last_ == kUnknown || key != last_key_) {
      last_ = find_(key);
      last_key_ = key;
    }
    return last_;
  }

 private:
  static constexpr std::uint32_t kUnknown = UINT32_MAX - 1;

  KeyReader& keys_;
  Find find_;
  std::span<const std::uint32_t> codes_;
  std::vector<std::uint32_t> of_code_;
  Key last_key_{};
  std::uint32_t last_ = kUnknown;
};

}  // namespace steno::query
