// --by: which result a record belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "query/cell.h"
#include "query/filter/statement.h"
#include "query/statistics/key_range.h"
#include "query/statistics/parts.h"
#include "query/statistics/time_steps.h"

namespace steno::query {

// Returns whether one of these keys is an argument, or a field of context, of `sites`.
bool name_arguments(const std::vector<std::string>& texts, const std::vector<const reader::Site*>& sites);

// Returns keys as parse_keys() takes them of what people write: "host,level" for two, "minute" or "1m" for "time:1m". A
// name of an argument of `sites` stays as it is.
std::vector<std::string> plain_keys(const std::vector<std::string>& texts,
                                    const std::vector<const reader::Site*>& sites);

// "time:1s", "arg NAME", "{NAME}", or a name as in --where: "level", "thread", "host", an argument. kInvalidArgument:
// one is wrong. Steps of time are in UTC, or in the reader's time zone if `local_span` is given, the time range of the
// log.
Result<std::vector<KeySpec>> parse_keys(const std::vector<std::string>& texts, const Statement* statement,
                                        const TimeSpan* local_span = nullptr);

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
  const Key& at(std::size_t row) { return key_with(row, coded_ ? coded_->values[row] : 0); }
  // Where one key alone differs from row to row, and is a text: of each row the index of its text, of texts() many, so
  // that a key is looked up once for each. Else empty.
  std::span<const std::uint64_t> codes() const {
    return coded_ ? std::span(coded_->values) : std::span<std::uint64_t>();
  }
  std::size_t texts() const { return coded_->texts.size(); }
  // The key of the rows that have this code. Requires that it is in the range.
  const Key& of_code(std::uint64_t code) { return key_with(0, code); }

 private:
  enum Bound { kFrom, kCut };
  struct Column {
    bool varying = false;
    std::vector<std::uint64_t> values;  // by row, or a single one; of texts their indices
    std::vector<std::string> texts;
    std::vector<std::uint64_t> ids;         // of the texts, once interned
    std::array<std::vector<int>, 2> signs;  // of the texts, compared with the bounds
    void set_text(std::string text) {
      texts.push_back(std::move(text));
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
  const Key& key_with(std::size_t row, std::uint64_t code);
  std::uint64_t intern(Column& column, std::uint64_t index);

  const std::vector<KeySpec>& specs_;
  Interner* own_;
  const Interner* shared_ = nullptr;
  const KeyRange* range_ = nullptr;
  Key key_{};
  std::array<Column, kMaxKeys> columns_;
  const Column* coded_ = nullptr;  // the one that differs, if it has texts
};

// Finds the group of each row of a part, after KeyReader::read(): each text's once, or where it differs from the last
// row's. `find(key)` returns it, or kNone.
template <class Find>
class RowGroups {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  RowGroups(KeyReader& keys, Find find)
      : keys_(keys),
        find_(std::move(find)),
        codes_(keys.codes()),
        of_code_(codes_.empty() ? 0 : keys.texts(), kUnknown) {}

  // Requires that the row's key is in the range.
  std::uint32_t of(std::size_t row) {
    if (!codes_.empty()) {
      std::uint32_t& known = of_code_[codes_[row]];
      if (known == kUnknown) known = find_(keys_.of_code(codes_[row]));
      return known;
    }
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
  std::span<const std::uint64_t> codes_;
  std::vector<std::uint32_t> of_code_;
  Key last_key_{};
  std::uint32_t last_ = kUnknown;
};

// A key's value for people.
Cell cell_of(const KeySpec& spec, std::uint64_t value, const Interner& interner);

}  // namespace steno::query
