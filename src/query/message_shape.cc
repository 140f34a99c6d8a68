#include "query/message_shape.h"

#include <algorithm>

#include "steno/detail/brace_format.h"
#include "steno/detail/printf_format.h"
#include "text/presence.h"

namespace steno::query {
namespace {

const CharSet& numbers() {
  static const CharSet set = set_of(Automaton::kNumberCharacters);
  return set;
}
const CharSet& truths() {
  static const CharSet set = set_of("truefalse ");
  return set;
}
const CharSet& everything() {
  static const CharSet set = CharSet().set();
  return set;
}

// What a field of the type prints if nothing odd is asked for.
const CharSet& characters_of(ArgType type) {
  const unsigned traits = detail::type_traits(static_cast<char>(type));
  if ((traits & (detail::kTraitInteger | detail::kTraitFloat | detail::kTraitPointer)) != 0) return numbers();
  return everything();
}

}  // namespace

void MessageShape::add_literal(std::string_view text) {
  if (pieces_.empty() || pieces_.back().kind != Kind::kLiteral) pieces_.emplace_back();
  pieces_.back().text += text;
}

void MessageShape::add_string(int argument) {
  Piece& piece = pieces_.emplace_back();
  piece.kind = Kind::kString;
  piece.argument = static_cast<std::uint32_t>(argument);
}

void MessageShape::add_chars(const CharSet& chars) {
  Piece& piece = pieces_.emplace_back();
  piece.kind = Kind::kChars;
  piece.chars = chars;
}

MessageShape MessageShape::anything() {
  MessageShape shape;
  shape.add_chars(everything());
  return shape;
}

MessageShape::MessageShape(const wire::SiteInfo& site) {
  const bool parsed = site.style == wire::Style::kPrintf ? parse_printf(site) : parse_brace(site);
  if (!parsed) *this = anything();
}

bool MessageShape::parse_brace(const wire::SiteInfo& site) {
  const std::string_view types = site.argument_types();
  const text::Presences presences(site);
  detail::BraceCursor cursor(site.format.data(), site.format.size(), types.data(), types.size());
  while (cursor.next()) {
    if (!cursor.is_field) {
      add_literal(std::string_view(cursor.format + cursor.begin, static_cast<std::size_t>(cursor.end - cursor.begin)));
      continue;
    }
    const detail::BraceSpec& spec = cursor.spec;
    const auto type = static_cast<ArgType>(types[static_cast<std::size_t>(spec.argument)]);
    const bool sized_by_argument = spec.width_argument >= 0 || spec.precision_argument >= 0;  // may print a complaint
    const bool bare = !sized_by_argument && spec.width < 0 && spec.precision < 0 && spec.fill_size == 0;
    if (!site.meaning_of(static_cast<std::size_t>(spec.argument)).empty() ||
        presences.of(static_cast<std::size_t>(spec.argument)) != nullptr) {
      add_chars(everything());
    } else if (bare && type == ArgType::kString && (spec.type == 0 || spec.type == 's')) {
      add_string(spec.argument);
    } else if (bare && type == ArgType::kBool && (spec.type == 0 || spec.type == 's')) {
      add_chars(truths());
    } else if (sized_by_argument || spec.fill_size != 0 || spec.type == 'c' || spec.type == '?') {
      add_chars(everything());
    } else {
      add_chars(characters_of(type));
    }
  }
  return cursor.error == detail::FormatError::kNone;
}

bool MessageShape::parse_printf(const wire::SiteInfo& site) {
  const std::string_view types = site.argument_types();
  const bool has_errno = !types.empty() && types.back() == static_cast<char>(ArgType::kErrno);
  detail::PrintfCursor cursor(site.format.data(), site.format.size(), types.data(), types.size() - (has_errno ? 1 : 0));
  while (cursor.next()) {
    if (!cursor.is_field) {
      add_literal(std::string_view(cursor.format + cursor.begin, static_cast<std::size_t>(cursor.end - cursor.begin)));
      continue;
    }
    const detail::PrintfSpec& spec = cursor.spec;
    const bool sized_by_argument = spec.width_argument >= 0 || spec.precision_argument >= 0;
    const ArgType type =
        spec.conversion == 'm' ? ArgType::kErrno : static_cast<ArgType>(types[static_cast<std::size_t>(spec.argument)]);
    if (!sized_by_argument && spec.width < 0 && spec.precision < 0 && spec.conversion == 's' &&
        type == ArgType::kString) {
      add_string(spec.argument);
    } else if (!sized_by_argument &&
               std::string_view("diuoxXfFeEgGaA").find(spec.conversion) != std::string_view::npos) {
      add_chars(numbers());
    } else {
      add_chars(everything());
    }
  }
  return cursor.error == detail::FormatError::kNone;
}

std::vector<CharSet> MessageShape::fields() const {
  std::vector<CharSet> fields;
  for (const Piece& piece : pieces_) {
    if (piece.kind != Kind::kLiteral) fields.push_back(piece.kind == Kind::kChars ? piece.chars : everything());
  }
  return fields;
}

// What can follow each string, found from the end of the message backwards, so that the cost is that of one look at the
// format. Strings are taken to be anything.
void MessageShape::find_ends(const Needle& needle, std::vector<NeedleSites::Column>* columns) const {
  std::uint64_t good = 0;
  auto column = columns->rbegin();
  for (auto piece = pieces_.rbegin(); column != columns->rend(); ++piece) {
    if (piece->kind == Kind::kString) (column++)->after = needle.unfound(good);
    good = piece->kind == Kind::kLiteral
               ? needle.before(good, piece->text)
               : needle.before_any(good, piece->kind == Kind::kChars ? piece->chars : everything());
  }
}

NeedleSites MessageShape::find(const Needle& needle) const {
  NeedleSites sites;
  if (needle.empty()) {
    sites.always = true;
    return sites;
  }
  std::uint64_t literals = 0;    // every field ends what has begun
  std::uint64_t no_strings = 0;  // strings do
  std::uint64_t all = 0;
  for (const Piece& piece : pieces_) {
    switch (piece.kind) {
      case Kind::kLiteral:
        literals = needle.run(literals, piece.text);
        no_strings = needle.run(no_strings, piece.text);
        all = needle.run(all, piece.text);
        break;
      case Kind::kChars:
        literals = needle.accepts(literals) ? literals : 0;
        no_strings = needle.run_any(no_strings, piece.chars);
        all = needle.run_any(all, piece.chars);
        break;
      case Kind::kString:
        literals = needle.accepts(literals) ? literals : 0;
        no_strings = needle.accepts(no_strings) ? no_strings : 0;
        sites.columns.push_back({piece.argument, needle.unfound(all), 0});
        all = needle.run_any(all, everything());
        break;
    }
  }
  find_ends(needle, &sites.columns);
  sites.always = needle.accepts(literals);
  sites.without_strings = needle.accepts(no_strings);
  return sites;
}

}  // namespace steno::query
