// A pattern as it is for one site and logger: all that is fixed is made once, what differs from record to record is
// left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lines/line_format.h"
#include "lines/message_program.h"

namespace steno::lines {

// Literals, each with the field after it.
struct TextProgram {
  struct Op {
    std::uint32_t literal = 0;  // offset in the literals
    std::uint32_t literal_size = 0;
    Field field = Field::kLiteral;
    std::uint32_t argument = 0;
  };

  const reader::Logger* logger = nullptr;
  std::vector<Op> ops;
  std::string literals;  // ends in two times kCopyStep more bytes
  std::size_t room = 0;  // enough for literals and times
  // How messages are printed many at a time, with the pattern's end, by patterns that are time, thread and message,
  // each with a literal before it.
  std::optional<MessageProgram> messages;
};

// Where the fields of context begin among the values of a site, without those that number spans.
std::size_t first_context(const reader::Site& site);

// Those of one pattern. Not thread-safe.
class TextPrograms {
 public:
  // `options` must outlive it.
  explicit TextPrograms(const LineOptions& options);

  // Compiled when it is first asked for; it stays where it is.
  const TextProgram& of(const reader::DecodedGroup& group);

  // Returns whether time, thread and message, in that order, are all that differs from record to record of a site.
  bool is_usual() const { return usual_; }

 private:
  TextProgram compile(const reader::Site& site, const reader::Logger& logger) const;
  bool append_fixed(const Piece& piece, const reader::Site& site, const reader::Logger& logger, std::string& out) const;

  const LineOptions& options_;
  const bool usual_;
  PerEntry<std::vector<std::unique_ptr<TextProgram>>> programs_;  // by site, one a logger
};

}  // namespace steno::lines
