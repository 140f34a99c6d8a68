#include "text/meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>

#include "steno/detail/format_check.h"
#include "text/float_text.h"
#include "text/printer.h"
#include "text/value_text.h"

namespace steno::text {
namespace {

constexpr std::size_t kMostNames = std::size_t{1} << 16;
constexpr std::size_t kMostUnit = 64;  // bytes

struct NamedUnit {
  std::string_view name;
  TimeUnit unit;
  int decimals;  // of the second, in times
};
constexpr NamedUnit kTimeUnits[] = {
    {"ns", kNanosecond, 9}, {"us", {1, 1'000'000}, 6}, {"ms", {1, 1000}, 3}, {"s", {1, 1}, 0},
    {"min", {60, 1}, 0},    {"h", {3600, 1}, 0},       {"d", {86400, 1}, 0},
};

// A decimal number that is all of the text.
template <class T>
bool read_number(std::string_view text, T* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_bits(std::string_view text, ArgType type, std::uint64_t* bits) {
  if (!is_signed_integer(type)) return read_number(text, bits);
  std::int64_t value = 0;
  if (!read_number(text, &value)) return false;
  *bits = static_cast<std::uint64_t>(value);
  return true;
}

// Extended, whatever is above the type's bits.
std::uint64_t extended_bits(const Value& value) {
  const unsigned shift = unused_bits(value.type);
  return is_signed_integer(value.type) ? static_cast<std::uint64_t>(signed_bits(value.bits, shift))
                                       : unsigned_bits(value.bits, shift);
}

Int128 floor_division(Int128 value, Int128 divisor) {
  const Int128 quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}

// A floating-point number with so many decimals; negative: as %g.
void append_decimals(const Value& value, int precision, ByteBuffer& out) {
  FloatStyle style;
  style.conversion = precision < 0 ? 'g' : 'f';
  style.precision = precision;
  ByteBuffer digits;
  if (append_float(value, style, digits).negative) out.put('-');
  out.put_bytes(digits.data(), digits.size());
}

Int128 greatest_divisor(Int128 a, Int128 b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

}  // namespace

std::optional<TimeUnit> time_unit_of(std::string_view name) {
  for (const NamedUnit& known : kTimeUnits) {
    if (known.name == name) return known.unit;
  }
  if (name.size() < 6 || name.front() != '[' || !name.ends_with("]s")) return {};
  name = name.substr(1, name.size() - 3);
  const std::size_t slash = name.find('/');
  TimeUnit unit;
  if (slash == std::string_view::npos || !read_number(name.substr(0, slash), &unit.numerator) ||
      !read_number(name.substr(slash + 1), &unit.denominator) || unit.numerator <= 0 || unit.denominator <= 0) {
    return {};
  }
  return unit;
}

bool convert(Int128 value, TimeUnit from, TimeUnit to, Int128* whole, long double* real) {
  Int128 multiplier = Int128{from.numerator} * to.denominator;
  Int128 divisor = Int128{from.denominator} * to.numerator;
  const Int128 common = greatest_divisor(multiplier, divisor);
  multiplier /= common;
  divisor /= common;
  Int128 product = 0;
  if (!__builtin_mul_overflow(value, multiplier, &product) && product % divisor == 0) {
    *whole = product / divisor;
    return true;
  }
  *real = static_cast<long double>(value) * static_cast<long double>(multiplier) / static_cast<long double>(divisor);
  return false;
}

std::optional<Meaning> Meaning::parse(std::string_view text, ArgType type) {
  const unsigned traits = detail::type_traits(static_cast<char>(type));
  const bool integer = (traits & detail::kTraitInteger) != 0 && fixed_size(type) <= 8;
  const bool real = type == ArgType::kF32 || type == ArgType::kF64;
  if (text.empty() || text[0] == wire::kSecretMark) return {};
  Meaning meaning;
  meaning.text_ = text;
  meaning.type_ = type;
  if (text[0] == '[' && type == ArgType::kString) {
    meaning.kind_ = Kind::kList;
    if (!meaning.parse_list(text.substr(1))) return {};
    return meaning;
  }
  if (!integer && !real) return {};
  if (text[0] == '=') {
    meaning.kind_ = Kind::kNames;
    if (!integer || !meaning.parse_names(text.substr(1))) return {};
    return meaning;
  }
  const bool is_time = text[0] == '@';
  const auto unit = time_unit_of(is_time ? text.substr(1) : text);
  if (unit) meaning.time_unit_ = *unit;
  if (is_time) {
    meaning.kind_ = Kind::kTime;
    if (!integer || !unit || text[1] == '[') return {};
    return meaning;
  }
  if (text.size() > kMostUnit) return {};
  meaning.kind_ = unit ? Kind::kDuration : Kind::kUnit;
  return meaning;
}

// A letter, and what its values mean.
bool Meaning::parse_list(std::string_view element) {
  constexpr std::string_view kElements = "basilhtjmfd";
  if (element.empty() || kElements.find(element[0]) == std::string_view::npos) return false;
  element_ = static_cast<ArgType>(element[0]);
  if (auto meaning = parse(element.substr(1), element_)) element_meaning_.push_back(*std::move(meaning));
  return true;
}

// The end of a string that was cut by its producer: "…[+N bytes]".
std::string_view Meaning::cut_mark(std::string_view bytes) {
  constexpr std::string_view kBegin = "…[+";
  if (!bytes.ends_with(" bytes]")) return {};
  const std::size_t begin = bytes.rfind(kBegin);
  return begin != std::string_view::npos ? bytes.substr(begin) : std::string_view();
}

std::uint64_t Meaning::load_bits(ArgType type, const char* bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, fixed_size(type));
  if (!is_signed_integer(type)) return bits;
  return static_cast<std::uint64_t>(signed_bits(bits, static_cast<unsigned>(64 - 8 * fixed_size(type))));
}

void Meaning::print_list(std::string_view bytes, int precision, ByteBuffer& out) const {
  bool first = true;
  const auto next = [&] {
    append(first ? "[" : ", ", out);
    first = false;
  };
  const std::string_view mark = each(bytes, [&](const Value& value, const Meaning* meaning) {
    next();
    if (meaning != nullptr) return meaning->print(value, precision, out);
    if (precision < 0 || (element_ != ArgType::kF32 && element_ != ArgType::kF64)) return print_value(value, out);
    append_decimals(value, precision, out);
  });
  if (first || !mark.empty()) next();
  append(mark, out);
  append("]", out);
}

bool Meaning::parse_names(std::string_view list) {
  while (true) {
    const std::string_view entry = list.substr(0, list.find(','));
    const std::size_t space = entry.find(' ');
    std::uint64_t bits = 0;
    if (space == std::string_view::npos || space + 1 == entry.size() || names_.size() == kMostNames ||
        !read_bits(entry.substr(0, space), type_, &bits)) {
      return false;
    }
    names_.emplace_back(bits, entry.substr(space + 1));
    if (entry.size() == list.size()) break;
    list.remove_prefix(entry.size() + 1);
  }
  std::stable_sort(names_.begin(), names_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  names_.erase(std::unique(names_.begin(), names_.end(), same), names_.end());
  return true;
}

std::optional<std::string_view> Meaning::name_of(std::uint64_t bits) const {
  const auto found =
      std::lower_bound(names_.begin(), names_.end(), bits, [](const auto& a, std::uint64_t b) { return a.first < b; });
  if (found == names_.end() || found->first != bits) return {};
  return found->second;
}

std::optional<std::uint64_t> Meaning::value_of(std::string_view name) const {
  const auto found = std::find_if(names_.begin(), names_.end(), [&](const auto& one) { return one.second == name; });
  if (found == names_.end()) return {};
  return found->first;
}

void Meaning::print_time(std::uint64_t bits, char between, ByteBuffer& out) const {
  const Int128 value = is_signed_integer(type_) ? Int128{static_cast<std::int64_t>(bits)} : Int128{bits};
  const Int128 product = value * time_unit_.numerator;
  const Int128 seconds = floor_division(product, time_unit_.denominator);
  const Int128 rest = product - seconds * time_unit_.denominator;
  const Int128 day = floor_division(seconds, 86400);
  constexpr int kMostDays = 11'000'000;  // what std::chrono::year has room for
  if (day < -kMostDays || day > kMostDays) {
    append(fmt::format("{}{} since 1970", value, text_.substr(1)), out);
    return;
  }
  const std::chrono::year_month_day date(std::chrono::sys_days(std::chrono::days(static_cast<int>(day))));
  const auto of_day = static_cast<unsigned>(seconds - day * 86400);
  fmt::memory_buffer text;
  fmt::format_to(fmt::appender(text), "{}{:04}-{:02}-{:02}{}{:02}:{:02}:{:02}",
                 static_cast<int>(date.year()) < 0 ? "-" : "", std::abs(static_cast<int>(date.year())),
                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), between, of_day / 3600,
                 of_day / 60 % 60, of_day % 60);
  for (const NamedUnit& known : kTimeUnits) {
    if (known.unit != time_unit_ || known.decimals == 0) continue;
    fmt::format_to(fmt::appender(text), ".{:0{}}", static_cast<std::uint64_t>(rest), known.decimals);
  }
  text.push_back('Z');
  out.put_bytes(text.data(), text.size());
}

void Meaning::print(const Value& value, int precision, ByteBuffer& out) const {
  if (kind_ == Kind::kList) {
    if (value.string.data() == nullptr) return print_value(value, out);
    return print_list(value.string, precision, out);
  }
  const std::uint64_t bits = extended_bits(value);
  if (kind_ == Kind::kTime) return print_time(bits, ' ', out);
  if (kind_ == Kind::kNames) {
    if (const auto name = name_of(bits)) return append(*name, out);
    return print_value(value, out);
  }
  if (value.type == ArgType::kF32 || value.type == ArgType::kF64) {
    append_decimals(value, precision, out);
  } else {
    print_value(value, out);
  }
  append(unit(), out);
}

void Meaning::print_for_machines(const Value& value, ByteBuffer& out) const {
  if (kind_ == Kind::kTime) return print_time(extended_bits(value), 'T', out);
  print(value, -1, out);
}

Meanings::Meanings(const wire::SiteInfo& site) {
  for (const wire::TypeMeaning& meaning : site.meanings) {
    auto parsed = Meaning::parse(meaning.text, static_cast<ArgType>(site.types[meaning.type]));
    if (parsed) meanings_.emplace_back(meaning.type, *std::move(parsed));
  }
}

void print_value(const Value& value, const Meaning* meaning, ByteBuffer& out) {
  if (meaning != nullptr) return meaning->print(value, -1, out);
  print_value(value, out);
}

}  // namespace steno::text
