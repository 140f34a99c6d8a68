#include "query/filter/where_lexer.h"

#include <algorithm>
#include <cstdlib>

#include "base/ascii.h"

namespace steno::query {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
int digit_of(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// The length of "14:03", "14:03:22.5" at the beginning of a text; 0: there is none.
std::size_t clock_size(std::string_view text) {
  const std::size_t hours = leading_digits(text);
  std::size_t at = hours;
  int parts = 0;
  while (parts < 2 && text.substr(at).starts_with(':') && leading_digits(text.substr(at + 1)) == 2) {
    at += 3;
    ++parts;
  }
  if (hours == 0 || hours > 2 || parts == 0) return 0;
  if (parts == 2 && text.substr(at).starts_with('.')) at += 1 + leading_digits(text.substr(at + 1));
  return at;
}

// The length of "2026-11-20" at the beginning of a text; 0: there is none.
std::size_t date_size(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00";
  if (text.size() < kShape.size()) return 0;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == '0' ? !is_digit(text[i]) : text[i] != kShape[i]) return 0;
  }
  return kShape.size();
}

// The length of a time that needs no quotes, a date, a time of day, or both; 0: there is none.
std::size_t time_size(std::string_view text) {
  std::size_t at = date_size(text);
  const std::string_view rest = text.substr(at);
  if (at == 0) {
    at = clock_size(text);
  } else if (rest.starts_with('T') || rest.starts_with(' ')) {
    const std::size_t clock = clock_size(rest.substr(1));
    if (clock != 0) at += 1 + clock;
  }
  return at != 0 && text.substr(at).starts_with('Z') ? at + 1 : at;
}

constexpr text::Int128 kMost = static_cast<text::Int128>(~text::UInt128{0} >> 1);

// Digits as a 128-bit integer; false if there are none, or too many.
bool to_integer(std::string_view digits, int base, text::Int128* value) {
  *value = 0;
  for (const char c : digits) {
    const int digit = digit_of(c);
    if (digit >= base || *value > (kMost - digit) / base) return false;
    *value = *value * base + digit;
  }
  return !digits.empty();
}

// Splits a decimal number, as strtold() takes it, at its point, exactly. False: what is before it is beyond Int128.
bool split_decimal(std::string_view number, text::Int128* whole, bool* fraction) {
  const std::size_t e = number.find_first_of("eE");
  const std::string_view mantissa = number.substr(0, e);
  const std::size_t dot = std::min(mantissa.find('.'), mantissa.size());
  constexpr long kFar = 100'000;
  const long exponent = e == std::string_view::npos ? 0 : std::strtol(number.data() + e + 1, nullptr, 10);
  const long point = static_cast<long>(dot) + std::clamp(exponent, -kFar, kFar);
  *whole = 0;
  *fraction = false;
  long place = 0;
  const auto take = [&](int digit) {
    if (place++ >= point) {
      *fraction |= digit != 0;
    } else if (*whole > (kMost - digit) / 10) {
      return false;
    } else {
      *whole = *whole * 10 + digit;
    }
    return true;
  };
  for (const char c : mantissa) {
    if (c != '.' && !take(digit_of(c))) return false;
  }
  while (place < point && *whole != 0) {
    if (!take(0)) return false;
  }
  return true;
}

// Symbols, longer ones first, and what they mean: an operator or a keyword.
struct Synonym {
  std::string_view symbol;
  std::string_view meaning;
};
constexpr Synonym kSynonyms[] = {{"==", "=="}, {"!=", "!="},  {"<>", "!="}, {"<=", "<="}, {">=", ">="}, {"=~", "=~"},
                                 {"!~", "!~"}, {"&&", "and"}, {"||", "or"}, {"=", "=="},  {"!", "not"}};

}  // namespace

bool WhereLexer::is_keyword(std::string_view keyword) const {
  if (token_ != Token::kName || word_.size() != keyword.size()) return false;
  for (std::size_t i = 0; i < keyword.size(); ++i) {
    if ((word_[i] | 0x20) != keyword[i]) return false;
  }
  return true;
}

Status WhereLexer::error(const std::string& what) const {
  constexpr std::size_t kContext = 24;
  const std::string_view rest = text_.substr(start_);
  const std::string where =
      rest.empty() ? "at the end"
                   : "at '" + std::string(rest.substr(0, kContext)) + (rest.size() > kContext ? "..." : "") + "'";
  return {StatusCode::kInvalidArgument, "--where: " + what + ", " + where};
}

Status WhereLexer::next() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  start_ = at_;
  word_.clear();
  token_ = Token::kEnd;
  if (at_ == text_.size()) return {};
  const char c = text_[at_];
  const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (is_name_start(c)) {
    const auto dot = [&] {
      return text_[at_] == '.' && at_ + 1 < text_.size() && (is_name_start(text_[at_ + 1]) || is_digit(text_[at_ + 1]));
    };
    while (at_ < text_.size() && (is_name_start(text_[at_]) || is_digit(text_[at_]) || dot())) ++at_;
    token_ = Token::kName;
    word_ = text_.substr(start_, at_ - start_);
    return {};
  }
  if (const std::size_t size = time_size(text_.substr(at_)); size != 0) {
    token_ = Token::kText;
    word_ = text_.substr(at_, size);
    at_ += size;
    return {};
  }
  if (is_digit(c) || ((c == '-' || c == '+' || c == '.') && (is_digit(after) || after == '.'))) return read_number();
  if (c == '"' || c == '\'') return read_text(c);
  if (c == '{') return read_argument();
  token_ = Token::kSymbol;
  for (const Synonym& synonym : kSynonyms) {
    if (!text_.substr(at_).starts_with(synonym.symbol)) continue;
    token_ = is_name_start(synonym.meaning[0]) ? Token::kName : Token::kSymbol;
    word_ = synonym.meaning;
    at_ += synonym.symbol.size();
    return {};
  }
  ++at_;
  word_ = c;
  if (std::string_view("<>(),").find(c) != std::string_view::npos) return {};
  return error("this is not an operator; there are == != < <= > >= =~ !~ && || !, and words ('steno help where')");
}

Status WhereLexer::read_number() {
  token_ = Token::kNumber;
  const bool negative = text_[at_] == '-';
  if (negative || text_[at_] == '+') ++at_;
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool exponent_sign =
        (c == '-' || c == '+') && (text_[at_ - 1] | 0x20) == 'e' && text_.substr(begin, 2) != "0x";
    if (!is_digit(c) && !is_name_start(c) && c != '.' && !exponent_sign) break;
    ++at_;
  }
  std::string digits;  // 1_000_000 is easier to read
  for (const char c : text_.substr(begin, at_ - begin)) {
    if (c != '_') digits += c;
  }
  if (!read_digits(digits)) {
    const std::size_t unit = digits.find_last_not_of("adhimnsu") + 1;  // what units of time are made of
    const auto known = text::time_unit_of(std::string_view(digits).substr(unit));
    const bool minutes = digits.ends_with('m') && read_digits(digits.substr(0, digits.size() - 1));
    if (minutes) return error("this is not a number; minutes are 'min'");
    if (!known || !read_digits(digits.substr(0, unit))) return error("this is not a number");
    number_.unit = known;
  }
  if (negative) number_.integer = -number_.integer - (number_.fraction ? 1 : 0);
  number_.real = negative ? -number_.real : number_.real;
  number_.nearest = negative ? -number_.nearest : number_.nearest;
  return {};
}

// All of it is to be a number. Without a sign.
bool WhereLexer::read_digits(std::string_view digits) {
  number_ = Constant();
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  text::Int128 integer = 0;
  if (hex ? to_integer(digits.substr(2), 16, &integer) : to_integer(digits, 10, &integer)) {
    number_ = Constant::of_integer(integer);
    return true;
  }
  const std::string text(digits);
  char* end = nullptr;
  number_.kind = Constant::Kind::kReal;
  number_.real = hex || text.empty() ? 0 : std::strtold(text.c_str(), &end);
  if (end == nullptr || end != text.c_str() + text.size()) return false;
  number_.nearest = std::strtod(text.c_str(), nullptr);
  number_.beyond = !split_decimal(text, &number_.integer, &number_.fraction);
  return true;
}

Status WhereLexer::read_text(char quote) {
  token_ = Token::kText;
  for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
    char c = text_[at_];
    if (c == '\\' && at_ + 1 < text_.size()) {
      const char escaped = text_[at_ + 1];
      // The backslash before other letters stays: regular expressions want it.
      if (escaped == quote || escaped == '\\' || escaped == 'n' || escaped == 't') {
        ++at_;
        c = escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
      }
    }
    word_ += c;
  }
  if (at_ == text_.size()) return error("the closing quote of this text is missing");
  ++at_;
  return {};
}

Status WhereLexer::read_argument() {
  token_ = Token::kArgument;
  const std::size_t end = text_.find('}', at_);
  if (end == std::string_view::npos || end == at_ + 1) return error("an argument is {name} or {0}");
  word_ = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return {};
}

}  // namespace steno::query
