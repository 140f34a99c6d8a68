#include "text/presence.h"

#include <algorithm>
#include <charconv>

namespace steno::text {
namespace {

// The arguments that a field describes.
struct Named {
  std::uint32_t first = 0;
  std::uint32_t alternatives = 0;  // 0: an optional
};

bool take_number(std::string_view* text, std::uint32_t* number) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return true;
}

// "?3", "|3,2".
std::optional<Named> read_name(std::string_view name, ArgType type, std::size_t arguments) {
  if (name.empty()) return {};
  const char mark = name.front();
  name.remove_prefix(1);
  Named named;
  if (!take_number(&name, &named.first)) return {};
  if (mark == '|') {
    if (type != ArgType::kU8 || name.empty() || name.front() != ',') return {};
    name.remove_prefix(1);
    if (!take_number(&name, &named.alternatives) || named.alternatives == 0) return {};
  } else if (mark != '?' || type != ArgType::kBool) {
    return {};
  }
  const std::uint32_t count = std::max(named.alternatives, std::uint32_t{1});
  if (!name.empty() || named.first >= arguments || count > arguments - named.first) return {};
  return named;
}

}  // namespace

Presences::Presences(const wire::SiteInfo& site, const std::vector<bool>& redacted) {
  const std::size_t arguments = site.argument_types().size();
  const auto is_redacted = [&](std::size_t argument) { return argument < redacted.size() && redacted[argument]; };
  for (std::size_t type = arguments; type < site.types.size(); ++type) {
    const auto named = read_name(site.context[type - arguments], static_cast<ArgType>(site.types[type]), arguments);
    if (!named) continue;
    const auto field = static_cast<std::uint32_t>(type);
    const std::uint32_t end = named->first + std::max(named->alternatives, std::uint32_t{1});
    bool is_new = true;
    for (std::uint32_t argument = named->first; argument < end; ++argument) is_new = is_new && of(argument) == nullptr;
    if (!is_new) continue;
    fields_.push_back(field);
    for (std::uint32_t argument = named->first; argument < end; ++argument) {
      if (is_redacted(argument)) continue;
      const std::uint32_t value = named->alternatives == 0 ? 1 : argument - named->first;
      presences_.emplace_back(argument, Presence{field, value, named->alternatives});
    }
  }
}

}  // namespace steno::text
