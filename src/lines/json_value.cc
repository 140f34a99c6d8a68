#include "lines/json_value.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "lines/escape.h"
#include "text/printer.h"

namespace steno::lines {
namespace {

// Appends what print_value makes of it, as a JSON string.
void append_quoted(const text::Value& value, ByteBuffer& out) {
  out.put('"');
  const std::size_t start = out.size();
  text::print_value(value, out);
  json_escape_tail(out, start);
  out.put('"');
}

// NaN and infinities are no JSON numbers; whatever print_value makes of them starts with no digit.
void append_float(const text::Value& value, ByteBuffer& out) {
  const std::size_t start = out.size();
  text::print_value(value, out);
  const char* text = reinterpret_cast<const char*>(out.data()) + start;
  const std::size_t first = out.size() > start && text[0] == '-' ? 1 : 0;
  if (out.size() > start + first && is_digit(text[first])) return;
  out.truncate(start);
  append_quoted(value, out);
}

// The digits that were appended from `start` on, in quotes if they are too many for a float.
void quote_if_big(std::size_t start, ByteBuffer& out) {
  constexpr std::string_view kMost = "9007199254740992";  // 2^53
  std::string_view digits(reinterpret_cast<const char*>(out.data()) + start, out.size() - start);
  const std::string all(digits);
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.size() < kMost.size() || (digits.size() == kMost.size() && digits <= kMost)) return;
  out.truncate(start);
  put(out, '"' + all + '"');
}

}  // namespace

void append_json_value(const text::Value& value, const text::Meaning* meaning, ByteBuffer& out,
                       BigIntegers big_integers) {
  if (meaning != nullptr && meaning->kind() == text::Meaning::Kind::kList && value.string.data() != nullptr) {
    char before = '[';
    const std::string_view mark =
        meaning->each(value.string, [&](const text::Value& element, const text::Meaning* of_element) {
          out.put(std::exchange(before, ','));
          append_json_value(element, of_element, out, big_integers);
        });
    if (!mark.empty()) {
      out.put(std::exchange(before, ','));
      out.put('"');
      put(out, json_escaped(mark));
      out.put('"');
    }
    if (before == '[') out.put('[');
    return out.put(']');
  }
  if (meaning != nullptr && !meaning->is_number() && meaning->kind() != text::Meaning::Kind::kList) {
    out.put('"');
    const std::size_t start = out.size();
    meaning->print_for_machines(value, out);
    json_escape_tail(out, start);
    return out.put('"');
  }
  switch (value.type) {
    case ArgType::kBool:
      return put(out, value.bits != 0 ? "true" : "false");
    case ArgType::kF32:
    case ArgType::kF64:
    case ArgType::kF80:
    case ArgType::kF128:
      return append_float(value, out);
    case ArgType::kString:
    case ArgType::kString16:
    case ArgType::kString32:
      return value.string.data() == nullptr ? put(out, "null") : append_quoted(value, out);
    case ArgType::kChar:
    case ArgType::kChar16:
    case ArgType::kChar32:
    case ArgType::kPointer:
      return append_quoted(value, out);
    case ArgType::kErrno: {
      text::Value number = value;
      number.type = ArgType::kI32;
      return text::print_value(number, out);
    }
    default: {
      const std::size_t start = out.size();
      text::print_value(value, out);
      if (big_integers == BigIntegers::kTexts && meaning == nullptr) quote_if_big(start, out);
      return;
    }
  }
}

}  // namespace steno::lines
