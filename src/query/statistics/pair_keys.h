// The values that records of two statements must share to be a pair: arguments, and fields of the record such as its
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/cell.h"
#include "query/filter/expression.h"
#include "query/filter/statement.h"
#include "query/statistics/pair_events.h"
#include "query/statistics/parts.h"
#include "query/statistics/text_codes.h"

namespace steno::query {

// An argument of the first statement and one of the second, or a field of both.
struct PairKey {
  Field field = Field::kArgument;  // else kThread, kTid, kPid, kProgram, kHost or kLogger
  ArgumentOf first;                // of kArgument
  ArgumentOf second;
  std::string title;

  const ArgumentOf& argument(std::uint32_t side) const { return side == 0 ? first : second; }
};

// Returns whether pairs can be asked to share the field.
bool is_pair_field(Field field);

// "id", or "id=order_id" where the argument has another name in the second statement. kInvalidArgument: one does not
// have it.
Result<PairKey> parse_pair_key(const std::string& text, const Statement& first, const Statement& second);

// The keys of a part's rows. One a thread.
class PairKeyReader {
 public:
  explicit PairKeyReader(const std::vector<PairKey>& keys) : keys_(keys), columns_(keys.size()) {}

  // Takes the keys of a part whose site is of this side.
  void read(const Part& part, std::uint32_t side);
  // False: the row is not wanted, or has no value.
  bool has(std::size_t row) const;
  // The bits of a row that has it: of one key its own, of several a hash.
  KeyBits bits(std::size_t row);
  // A value each.
  std::vector<Cell> cells(std::size_t row) const;

 private:
  struct Column {
    ArgType type = ArgType::kString;
    bool is_text = false;
    std::vector<std::uint64_t> values;  // by row, or one for all; of texts their indices
    TextTable texts;
    std::vector<KeyBits> bits;  // of the texts
    const text::Presence* presence = nullptr;
    std::span<const std::uint64_t> flags;

    std::uint64_t value(std::size_t row) const { return values.size() == 1 ? values[0] : values[row]; }
  };

  void read_argument(const Part& part, std::uint32_t index, Column* column);
  void read_field(const Part& part, Field field, Column* column);

  const std::vector<PairKey>& keys_;
  const std::uint8_t* keep_ = nullptr;
  std::vector<Column> columns_;
  std::vector<KeyBits> joined_;
};

}  // namespace steno::query
