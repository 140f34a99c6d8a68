#include "rewrite/text_patterns.h"

#include <re2/re2.h>

#include <algorithm>

#include "steno/detail/arg_type.h"
#include "text/printer.h"

namespace steno::cli {

TextPatterns::TextPatterns() = default;
TextPatterns::~TextPatterns() = default;

Status TextPatterns::add(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto made = std::make_unique<RE2>(pattern, options);
  if (!made->ok()) {
    return {StatusCode::kInvalidArgument, "'" + pattern + "' is no regular expression: " + made->error()};
  }
  if (RE2::PartialMatch("", *made)) {
    return {StatusCode::kInvalidArgument, "'" + pattern + "' matches the empty text, so it would match everywhere"};
  }
  patterns_.push_back(std::move(made));
  found_.emplace_back();
  return {};
}

bool TextPatterns::replace(std::string_view text, ArgType type, std::string* out) const {
  if (text.data() == nullptr || text.empty()) return false;
  const unsigned unit = unit_size(type);
  if (unit == 1) {
    // Most strings have no match, and are not copied.
    if (std::none_of(patterns_.begin(), patterns_.end(), [&](const auto& pattern) {
          return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern);
        })) {
      return false;
    }
    count(text, &Found::in_values);
    out->assign(text);
    replace(out, replacement_);
    return true;
  }
  ByteBuffer utf8;
  text::append_utf8(text, unit, utf8);
  std::string whole(reinterpret_cast<const char*>(utf8.data()), utf8.size());
  const std::string before = whole;
  replace(&whole, replacement_);
  if (whole == before) return false;
  count(before, &Found::in_values);
  out->clear();
  for (const char c : replacement_) {
    out->push_back(c);
    out->append(unit - 1, '\0');
  }
  return true;
}

bool TextPatterns::replace_in_list(std::string_view bytes, const text::Meaning& list, std::string* out) const {
  if (bytes.data() == nullptr) return false;
  out->assign(bytes);
  std::size_t at = 0;
  unsigned size = 1;
  const std::string_view mark = list.each(bytes, [&](const text::Value& value, const text::Meaning*) {
    size = fixed_size(value.type);
    if (matches_number(value)) out->replace(at, size, size, '\0');
    at += size;
  });
  if (size == 1) {
    const re2::StringPiece text(bytes.data(), at);
    count({bytes.data(), at}, &Found::in_values);
    for (const auto& pattern : patterns_) {
      re2::StringPiece found;
      for (std::size_t from = 0; pattern->Match(text, from, at, RE2::UNANCHORED, &found, 1) && !found.empty();) {
        const auto begin = static_cast<std::size_t>(found.data() - text.data());
        out->replace(begin, found.size(), found.size(), '\0');
        from = begin + found.size();
      }
    }
  }
  // A value that was cut in its middle is none.
  const std::size_t rest = bytes.size() - mark.size() - at;
  out->replace(at, rest, rest, '\0');
  return *out != bytes;
}

void TextPatterns::replace(std::string* text) const {
  count(*text, &Found::in_texts);
  replace(text, replacement_);
}

void TextPatterns::note_text(std::string_view text) const {
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *patterns_[i])) found_[i].stays = true;
  }
}

void TextPatterns::note_replaced(const text::Value& value, const text::Meaning* meaning,
                                 std::uint64_t Found::*where) const {
  const std::vector<Found> before = found_;
  std::string changed;
  if (!is_string(value.type)) {
    (void)matches_number(value);
  } else if (meaning != nullptr && meaning->kind() == text::Meaning::Kind::kList) {
    (void)replace_in_list(value.string, *meaning, &changed);
  } else {
    (void)replace(value.string, value.type, &changed);
  }
  for (std::size_t i = 0; i < found_.size(); ++i) {
    found_[i].*where += found_[i].in_values - before[i].in_values;
    found_[i].in_values = before[i].in_values;
  }
}

// How often each pattern matches, without overlaps.
void TextPatterns::count(std::string_view text, std::uint64_t Found::*where) const {
  const re2::StringPiece all(text.data(), text.size());
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    re2::StringPiece match;
    std::size_t from = 0;
    while (patterns_[i]->Match(all, from, text.size(), RE2::UNANCHORED, &match, 1)) {
      if (!match.empty()) ++(found_[i].*where);
      // An empty match within, as of an assertion, is none.
      from = static_cast<std::size_t>(match.data() - all.data()) + std::max<std::size_t>(match.size(), 1);
      if (from > text.size()) break;
    }
  }
}

void TextPatterns::replace_in_format(std::string* format, wire::Style style) const {
  count(*format, &Found::in_texts);
  const std::string_view special = style == wire::Style::kBrace ? "{}" : "%";
  std::string with;
  for (const char c : replacement_) {
    if (special.find(c) != std::string_view::npos) with += c;
    with += c;
  }
  replace(format, with);
}

void TextPatterns::replace(std::string* text, const std::string& with) const {
  std::string escaped;
  for (const char c : with) escaped += c == '\\' ? std::string("\\\\") : std::string(1, c);
  for (const auto& pattern : patterns_) RE2::GlobalReplace(text, *pattern, escaped);
}

bool TextPatterns::matches_number(const text::Value& value) const {
  const std::string_view numbers = "asilnhtjmop";  // types.md
  if (numbers.find(static_cast<char>(value.type)) == std::string_view::npos) return false;
  ByteBuffer printed;
  text::print_value(value, printed);
  const re2::StringPiece digits(reinterpret_cast<const char*>(printed.data()), printed.size());
  bool any = false;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (!RE2::PartialMatch(digits, *patterns_[i])) continue;
    ++found_[i].in_values;
    any = true;
  }
  return any;
}

}  // namespace steno::cli
