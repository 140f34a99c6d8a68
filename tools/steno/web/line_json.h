// One record as the page shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lines/line_format.h"
#include "query/statistics/chosen_records.h"
#include "reader/log_set.h"
#include "web/json.h"

namespace steno::cli::web {

// Names a record for as long as its log exists, also while it grows: its session, its ring, its number there.
std::string id_of(const reader::LogFile& file, const reader::BlockEntry& entry, std::uint32_t record);
// Where the record is now. nullopt: it is in none of the files, or the text is no id.
std::optional<query::RecordRef> find_record(const reader::LogSet& logs, std::string_view id);

// Not thread-safe; one an answer.
class LineJson {
 public:
  // `most_bytes`: of a message and of a value; what is longer is cut, and the line says so.
  explicit LineJson(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  // Takes a slice with one record.
  void append(const reader::Slice& slice, Json* out);

 private:
  bool append_values(const reader::Slice& slice, std::span<const text::Value> values, bool of_context, Json* out);
  bool append_value(const text::Value& value, const text::Meaning* meaning, Json* out);
  std::string_view cut(std::string_view text, bool* is_cut) const;

  std::size_t most_bytes_;
  lines::ValueRow row_;
  ByteBuffer text_;
};

// The id of a session, in 16 hexadecimal digits.
std::string session_name(const reader::Session& session);

}  // namespace steno::cli::web
