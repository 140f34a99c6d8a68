// What a statement's messages can look like, by its format: literals, and between them what its arguments print.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/needle.h"
#include "wire/dictionary.h"

namespace steno::query {

// Where in messages of a statement a needle can be.
struct NeedleSites {
  bool always = false;           // in each message, whatever the arguments are
  bool without_strings = false;  // perhaps, by the format and the types: strings as arguments do not decide
  // A string argument, printed as it is, can bring it: alone, or with what is around it.
  struct Column {
    std::uint32_t argument = 0;
    std::uint64_t before = 0;  // states in which the text before it can end
    std::uint64_t after = 0;   // states from which the text after it can reach the end of the needle
  };
  std::vector<Column> columns;

  bool possible() const { return always || without_strings || !columns.empty(); }
};

// Whether a value of such a column can have part in a match.
inline bool may_contribute(const Needle& needle, const NeedleSites::Column& column, std::string_view value) {
  const std::uint64_t state = needle.run(column.before, value);
  return needle.accepts(state) || (state & column.after) != 0;
}

class MessageShape {
 public:
  // A format that does not parse, or an unknown type, gives a shape that can be anything.
  explicit MessageShape(const wire::SiteInfo& site);
  // Anything at all.
  static MessageShape anything();

  NeedleSites find(const Needle& needle) const;
  // Of what characters each field can be, in order.
  std::vector<CharSet> fields() const;

 private:
  enum class Kind {
    kLiteral,
    kString,  // an argument's bytes as they are; "(null)" for null
    kChars,   // any text of `chars`
  };
  struct Piece {
    Kind kind = Kind::kLiteral;
    std::string text;
    std::uint32_t argument = 0;
    CharSet chars;
  };

  MessageShape() = default;
  void add_literal(std::string_view text);
  void add_string(int argument);
  void add_chars(const CharSet& chars);
  bool parse_brace(const wire::SiteInfo& site);
  bool parse_printf(const wire::SiteInfo& site);
  void find_ends(const Needle& needle, std::vector<NeedleSites::Column>* columns) const;

  std::vector<Piece> pieces_;
};

}  // namespace steno::query
