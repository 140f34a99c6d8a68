#include "query/search/field_characters.h"

#include <string_view>

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

// The characters that a field of the type prints if nothing odd is asked for.
const CharSet& characters_of(ArgType type) {
  const unsigned traits = detail::type_traits(static_cast<char>(type));
  if ((traits & (detail::kTraitInteger | detail::kTraitFloat | detail::kTraitPointer)) != 0) return numbers();
  return everything();
}

std::vector<CharSet> brace_characters(const wire::SiteInfo& site) {
  std::vector<CharSet> fields;
  const std::string_view types = site.argument_types();
  const text::Presences presences(site);
  detail::BraceCursor cursor(site.format.data(), site.format.size(), types.data(), types.size());
  while (cursor.next()) {
    if (!cursor.is_field) continue;
    const detail::BraceSpec& spec = cursor.spec;
    const auto argument = static_cast<std::size_t>(spec.argument);
    const auto type = static_cast<ArgType>(types[argument]);
    const bool sized_by_argument = spec.width_argument >= 0 || spec.precision_argument >= 0;  // may print a complaint
    const bool bare = !sized_by_argument && spec.width < 0 && spec.precision < 0 && spec.fill_size == 0;
    if (!site.meaning_of(argument).empty() || presences.of(argument) != nullptr) {
      fields.push_back(everything());
    } else if (bare && type == ArgType::kBool && (spec.type == 0 || spec.type == 's')) {
      fields.push_back(truths());
    } else if (sized_by_argument || spec.fill_size != 0 || spec.type == 'c' || spec.type == '?') {
      fields.push_back(everything());
    } else {
      fields.push_back(characters_of(type));
    }
  }
  return fields;
}

std::vector<CharSet> printf_characters(const wire::SiteInfo& site) {
  std::vector<CharSet> fields;
  const std::string_view types = site.argument_types();
  const bool has_errno = !types.empty() && types.back() == static_cast<char>(ArgType::kErrno);
  detail::PrintfCursor cursor(site.format.data(), site.format.size(), types.data(), types.size() - (has_errno ? 1 : 0));
  while (cursor.next()) {
    if (!cursor.is_field) continue;
    const detail::PrintfSpec& spec = cursor.spec;
    const bool sized_by_argument = spec.width_argument >= 0 || spec.precision_argument >= 0;
    const bool number = std::string_view("diuoxXfFeEgGaA").find(spec.conversion) != std::string_view::npos;
    fields.push_back(!sized_by_argument && number ? numbers() : everything());
  }
  return fields;
}

}  // namespace

std::vector<CharSet> field_characters(const wire::SiteInfo& site) {
  return site.style == wire::Style::kPrintf ? printf_characters(site) : brace_characters(site);
}

}  // namespace steno::query
