// Records to lines: text by a pattern, JSON lines, CSV, logfmt.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lines/escape.h"
#include "lines/origin.h"
#include "lines/pattern.h"
#include "lines/time_text.h"
#include "reader/slab.h"

namespace steno::lines {

// Integers beyond 2^53 in JSON: as numbers, which many readers round to the nearest float, or as texts.
enum class BigIntegers : std::uint8_t { kNumbers, kTexts };

struct LineOptions {
  Zone zone = Zone::kUtc;
  std::shared_ptr<TimeStyle> times;   // nullptr: the usual way
  Escape escape = Escape::kControls;  // of text; the others have their own rules
  bool colour = false;
  std::vector<Piece> pattern;  // text only
  Origin origin;               // of the process; in text where the pattern has it (default_pattern())
  BigIntegers big_integers = BigIntegers::kNumbers;
  bool units = false;  // JSON only: objects say the units of arguments that have one
};

// Renders records one after another. Not thread-safe; one an output.
class LineFormat {
 public:
  virtual ~LineFormat() = default;
  // Returns whether blocks may have packed strings (reader::DecodeOptions).
  virtual bool takes_packed_strings() const { return false; }
  // Prints the lines before the first record.
  virtual void begin(ByteBuffer&) {}
  // Appends the records of the slices, each with its line end.
  virtual void append(std::span<const reader::Slice> slices, ByteBuffer& out) = 0;
  // Appends what stands between records that do not follow each other, where their context was asked for.
  virtual void append_gap(ByteBuffer&) {}
};

std::unique_ptr<LineFormat> make_text_format(LineOptions options);
std::unique_ptr<LineFormat> make_json_format(const LineOptions& options);
std::unique_ptr<LineFormat> make_csv_format(const LineOptions& options);
std::unique_ptr<LineFormat> make_logfmt_format(const LineOptions& options);
enum class LineKind { kText, kJson, kCsv, kLogfmt };
std::unique_ptr<LineFormat> make_line_format(LineKind kind, LineOptions options);
// Only the columns of the pattern (parse_columns()), in any of the four. Text: separated by tabs, "-" for what a record
// does not have.
std::unique_ptr<LineFormat> make_columns_format(LineKind kind, LineOptions options);

// visit(slice, i) for each record.
template <class Visit>
void each_record(std::span<const reader::Slice> slices, const Visit& visit) {
  for (const reader::Slice& slice : slices) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) visit(slice, i);
  }
}

// Strings made once for each entry of a dictionary, found by its ordinal.
template <class T>
class PerEntry {
 public:
  template <class Make>
  T& get(std::uint32_t ordinal, Make make) {
    if (ordinal >= items_.size()) items_.resize(ordinal + std::size_t{1});
    if (items_[ordinal] == nullptr) items_[ordinal] = std::make_unique<T>(make());
    return *items_[ordinal];
  }

 private:
  std::vector<std::unique_ptr<T>> items_;
};

// The values of one record, in memory that is reused.
class ValueRow {
 public:
  std::span<const text::Value> of(const reader::Slice& slice, std::uint32_t i) {
    const std::size_t n = slice.block->group(i).columns;
    if (values_.size() < n) values_.resize(n);
    slice.block->values(i, values_.data());
    return {values_.data(), n};
  }

 private:
  std::vector<text::Value> values_;
};

// Appends the arguments as a JSON object; names are those of Site::argument_names().
class JsonArgs {
 public:
  explicit JsonArgs(BigIntegers big_integers = BigIntegers::kNumbers) : big_integers_(big_integers) {}
  void append(const reader::Site& site, std::span<const text::Value> values, ByteBuffer& out);
  // The text before each argument: the brace or a comma, and its name.
  const std::vector<std::string>& keys(const reader::Site& site);

 private:
  const BigIntegers big_integers_;
  PerEntry<std::vector<std::string>> keys_;
};

}  // namespace steno::lines
