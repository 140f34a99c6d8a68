#include "rewrite/format_fit.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "text/meaning.h"
#include "text/presence.h"
#include "text/printer.h"

namespace steno::cli {
namespace {

// A stretch of a format that may be left out or replaced.
struct Piece {
  std::size_t begin;
  std::size_t end;
};

bool prints(wire::SiteInfo info, const std::string& format) {
  info.format = format;
  const text::Meanings meanings(info);
  const text::Presences presences(info);
  return text::Printer::compile(info.style, info.format, info.argument_types(), &meanings,
                                info.style == wire::Style::kBrace ? &presences : nullptr)
      .ok();
}

// From ':' up to '}' of each field.
std::vector<Piece> brace_specs(const std::string& format) {
  std::vector<Piece> specs;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '{') continue;
    if (i + 1 < format.size() && format[i + 1] == '{') {
      ++i;
      continue;
    }
    std::size_t depth = 0;
    std::size_t colon = std::string::npos;
    for (; i < format.size(); ++i) {
      if (format[i] == '{') ++depth;
      if (format[i] == '}' && --depth == 0) break;
      if (format[i] == ':' && depth == 1 && colon == std::string::npos) colon = i;
    }
    if (colon != std::string::npos && i < format.size()) specs.push_back({colon, i});
  }
  return specs;
}

// All specifications that can stay do.
std::string brace_format(const wire::SiteInfo& info) {
  std::string format = info.format;
  const std::vector<Piece> specs = brace_specs(format);
  std::vector<std::string> kept;
  for (const Piece& spec : specs) kept.push_back(format.substr(spec.begin, spec.end - spec.begin));
  for (auto spec = specs.rbegin(); spec != specs.rend(); ++spec) format.erase(spec->begin, spec->end - spec->begin);
  std::size_t erased = 0;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    std::string with = format;
    with.insert(specs[i].begin - erased, kept[i]);
    if (prints(info, with)) {
      format = with;
    } else {
      erased += kept[i].size();
    }
  }
  return format;
}

std::string printf_format(const wire::SiteInfo& info, const std::vector<bool>& texts) {
  std::string format;
  std::size_t argument = 0;
  const std::string& from = info.format;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != '%') {
      format += from[i];
      continue;
    }
    const std::size_t begin = i++;
    for (; i < from.size() && std::strchr("-+ #0'.*123456789hljztLq", from[i]) != nullptr; ++i) {
      if (from[i] == '*') ++argument;
    }
    if (i == from.size()) return info.format;
    if (from[i] == '%') {
      format += from.substr(begin, i + 1 - begin);
      continue;
    }
    const bool is_text = argument < texts.size() && texts[argument];
    format += is_text ? "%s" : from.substr(begin, i + 1 - begin);
    ++argument;
  }
  return format;
}

// A brace format.
std::string list_of_arguments(const wire::SiteInfo& info) {
  std::string format = info.function + ":";
  std::string safe;
  for (const char c : format) safe += c == '{' || c == '}' ? '_' : c;
  for (std::size_t i = 0; i < info.argument_types().size(); ++i) safe += " {}";
  return safe;
}

}  // namespace

void fit_format(const std::vector<bool>& texts, wire::SiteInfo* info) {
  if (prints(*info, info->format)) return;
  const bool is_brace = info->style == wire::Style::kBrace;
  info->format = is_brace ? brace_format(*info) : printf_format(*info, texts);
  if (prints(*info, info->format)) return;
  // No brace format prints numbers of errors.
  std::replace(info->types.begin(), info->types.end(), static_cast<char>(ArgType::kErrno),
               static_cast<char>(ArgType::kI32));
  info->style = wire::Style::kBrace;
  info->format = list_of_arguments(*info);
}

}  // namespace steno::cli
