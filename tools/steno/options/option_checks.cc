#include "options/option_checks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/byte_unit.h"
#include "base/suggest.h"

namespace steno::cli {
namespace {

// The whole of `text`; false: it is no such number, or one that does not fit.
template <class T>
bool read_number(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string plain(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}
std::string plain(std::uint64_t value) {
  return std::to_string(value);
}

// "" if it is within the bounds.
template <class T>
std::string check_bounds(const std::string& text, T value, T least, T most) {
  if (value < least) return text + " is too small; the minimum is " + plain(least);
  if (value > most) return text + " is too large; the maximum is " + plain(most);
  return "";
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](std::string& text) -> std::string {
    std::uint64_t value = 0;
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (!digits) return "'" + text + "' is not a whole number" + (least == 0 ? " (0 or more)" : "");
    if (!read_number(text, &value)) return text + " is too large";
    const std::string problem = check_bounds(text, value, least, most);
    text = std::to_string(value);
    return problem;
  };
  return CLI::Validator(check, "");
}

CLI::Validator real_number(double least, double most) {
  const auto check = [least, most](std::string& text) -> std::string {
    double value = 0;
    if (!read_number(text, &value) || !std::isfinite(value)) return "'" + text + "' is not a number";
    return check_bounds(text, value, least, most);
  };
  return CLI::Validator(check, "");
}

CLI::Validator byte_size() {
  const auto check = [](std::string& text) -> std::string {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::size_t unit = std::min(text.find_first_not_of(' ', digits), text.size());
    const auto factor = static_cast<double>(byte_unit(std::string_view(text).substr(unit)));
    double value = 0;
    if (!read_number(std::string_view(text).substr(0, digits), &value) || factor == 0) {
      return "'" + text + "' is not a size; write 512M, 1.5GB or a number of bytes";
    }
    const double bytes = value * factor;
    if (bytes < 1) return text + " is too small";
    if (bytes >= 0x1p63) return text + " is too large";
    text = std::to_string(static_cast<std::uint64_t>(bytes));
    return "";
  };
  return CLI::Validator(check, "");
}

CLI::Validator one_of(std::vector<std::string> names) {
  const auto check = [names](std::string& text) -> std::string {
    if (std::find(names.begin(), names.end(), text) != names.end()) return "";
    return "unknown value '" + text + "'" + did_you_mean(text, names);
  };
  return CLI::Validator(check, "");
}

CLI::Validator some_text(std::string advice) {
  const auto check = [advice](std::string& text) -> std::string {
    return text.empty() ? "the value is empty; " + advice : "";
  };
  return CLI::Validator(check, "");
}

}  // namespace steno::cli
