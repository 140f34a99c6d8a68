// Patterns whose matches are replaced in values and names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "steno/status.h"
#include "text/meaning.h"
#include "text/value.h"
#include "wire/dictionary.h"

namespace re2 {
class RE2;
}

namespace steno::cli {

// Counts what it replaces. Not thread-safe.
class TextPatterns {
 public:
  // The number of matches of one pattern: matches as it finds them by itself, before another one has replaced them.
  struct Found {
    std::uint64_t in_values = 0;
    std::uint64_t in_replaced = 0;  // in values that are taken out as a whole, whatever they are
    std::uint64_t in_secrets = 0;   // in secrets, which are taken out in any case
    std::uint64_t in_texts = 0;     // formats and names, of each session anew
    bool stays = false;             // something matches in a text that is not replaced
  };

  TextPatterns();
  ~TextPatterns();

  // Another pattern, in RE2 syntax. kInvalidArgument: it is none, or it matches the empty text.
  Status add(const std::string& pattern);
  void set_replacement(std::string text) { replacement_ = std::move(text); }
  bool any() const { return !patterns_.empty(); }
  // By pattern, in the order in which they were added.
  const std::vector<Found>& found() const { return found_; }
  // Forgets what was counted since: of a session that is written once more.
  void set_found(std::vector<Found> found) const { found_ = std::move(found); }
  // Notes which patterns match in a text that stays as it is.
  void note_text(std::string_view text) const;

  // Counts matches in a value that is taken out as a whole, as `where`. `meaning`: of its argument; nullptr: it has
  // none.
  void note_replaced(const text::Value& value, const text::Meaning* meaning, std::uint64_t Found::*where) const;

  // Returns whether something matches; `out` is then the text with all matches replaced. Of strings of 16 or 32 bits a
  // unit the whole string is replaced.
  bool replace(std::string_view text, ArgType type, std::string* out) const;
  // A list of numbers (Meaning::Kind::kList) as it is stored: those that match become 0, and so do the bytes of a text
  // that matches in a list of bytes. Its length stays.
  bool replace_in_list(std::string_view bytes, const text::Meaning& list, std::string* out) const;
  // A name or another text beside the values, in UTF-8, in place.
  void replace(std::string* text) const;
  // Does as replace() does; the new text has no fields of its own.
  void replace_in_format(std::string* format, wire::Style style) const;
  // Returns whether an integer in decimal digits matches, or a pointer as it is printed (0x7f01).
  bool matches_number(const text::Value& value) const;

 private:
  void replace(std::string* text, const std::string& with) const;
  void count(std::string_view text, std::uint64_t Found::*where) const;

  std::vector<std::unique_ptr<re2::RE2>> patterns_;
  mutable std::vector<Found> found_;
  std::string replacement_ = "[redacted]";
};

}  // namespace steno::cli
