// A line of JSON as it is for one statement and logger: all that is fixed is text made once, what differs from record
// to record is a list of what to do.
//
// It escapes nothing: a record that needs escaping is left to the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lines/line_format.h"
#include "lines/time_text.h"
#include "reader/decoded_block.h"
#include "text/cursor.h"

namespace steno::lines {

// Thread-safe.
class JsonProgram {
 public:
  // `before_time`, `before_thread` and `before_message` are the line up to there, `keys` what stands before each
  // argument. None: there is no message, or some arguments have no value of their own.
  struct Parts {
    std::string before_time;
    std::string before_thread;
    std::string before_message;
    std::span<const std::string> keys;
    std::string after_arguments;
    BigIntegers big_integers = BigIntegers::kNumbers;
  };
  static std::optional<JsonProgram> compile(const reader::Site& site, const Parts& parts);

  // Returns whether print() needs the record's values, not only its columns.
  bool wants_values() const { return wants_values_; }

  // The record that print() prints.
  struct Record {
    const text::Column* columns = nullptr;
    std::size_t row = 0;
    std::span<const text::Value> values;
    std::int64_t wall_ns = 0;
    const std::string& thread;  // escaped
  };
  // Writes the line at p and returns its end. nullptr: something has to be escaped, or the message may be too long
  // (text::kMaxMessage); whatever was written after p is to be dropped then.
  char* print(const Record& record, TimeText& time, char* p, text::Cursor& out) const;

 private:
  enum class Kind : std::uint8_t {
    kTime,
    kThread,
    kSigned,
    kUnsigned,
    kBool,
    kDouble,  // of the message, as `{}` prints it
    kFixed,
    kText,      // of the message: null is text::kNullText
    kField,     // any other field of the message
    kNumber,    // a double as an argument: in quotes where it is not finite
    kString,    // of an argument: in quotes; null is null
    kSignedId,  // an integer of 64 bits as an argument: in quotes where it is beyond kMostExact
    kUnsignedId,
    kValue,  // any other argument
    kEnd,    // the literal only
  };
  // A literal, followed by a value of this kind.
  struct Op {
    std::uint32_t literal = 0;  // offset in the literals
    std::uint32_t literal_size = 0;
    Kind kind = Kind::kEnd;
    std::uint8_t shift = 0;
    std::uint8_t precision = 0;
    std::uint32_t index = 0;  // of the argument; of kField: of the field
  };

  void add(std::string literal, Op op);
  bool add_message(const text::Printer& printer, std::string before);
  void add_argument(const reader::Site& site, std::size_t i, const std::string& key);
  char* print_other(const Op& op, const Record& record, char* p, text::Cursor& out) const;

  const reader::Site* site_ = nullptr;
  BigIntegers big_integers_ = BigIntegers::kNumbers;
  std::vector<Op> ops_;
  std::string literals_;  // ends in kCopyStep more bytes
  std::size_t room_ = 0;  // enough for literals, numbers and times
  bool wants_values_ = false;
};

}  // namespace steno::lines
