#include "runtime/format_sites.h"

#include <cstring>
#include <memory>
#include <string_view>

#include "base/checksum.h"
#include "base/early.h"
#include "base/never_destroyed.h"
#include "runtime/format_types.h"
#include "steno/detail/arg_type.h"
#include "wire/dictionary.h"
#include "wire/record.h"

namespace steno::runtime {
namespace {

constexpr char kWholeText[] = "%s";

const char this_library = 0;  // statements made here never go

std::unique_ptr<FormatSite> make_site(const Origin& origin, std::string_view text, FormatUse use, bool to_logger) {
  auto site = std::make_unique<FormatSite>();
  site->format = text;
  site->file = origin.file;
  site->function = origin.function;
  site->use = use;
  if (use == FormatUse::kArguments) {
    site->check = infer_types(text, &site->arguments);
    if (!site->check) site->use = FormatUse::kFormat;
  }
  const bool fields = site->use == FormatUse::kArguments;
  site->types = fields ? std::string(site->check.types, static_cast<std::size_t>(site->arguments)) : "S";
  if (fields && site->check.uses_errno) site->types += static_cast<char>(ArgType::kErrno);
  bool strings = false;
  for (const char letter : site->types) {
    site->fixed_bytes += fixed_size(static_cast<ArgType>(letter));
    strings |= is_string(static_cast<ArgType>(letter));
  }
  const std::size_t size8 = (wire::kArgsOffset + site->fixed_bytes + 7) / 8;
  site->entry = {.word = &site->word,
                 .library = &this_library,
                 .format = fields ? site->format.c_str() : kWholeText,
                 .file = site->file.c_str(),
                 .function = site->function.c_str(),
                 .types = site->types.c_str(),
                 .line = origin.line,
                 .size8 = strings ? std::uint16_t{0} : static_cast<std::uint16_t>(size8),
                 .level = origin.level,
                 .style = static_cast<std::uint8_t>(wire::Style::kPrintf),
                 .to_logger = to_logger};
  (void)detail::register_site(site->entry);
  return site;
}

struct FormatKey {
  Origin origin;
  std::string_view text;  // terminated
  bool to_logger;
  FormatUse use = FormatUse::kArguments;

  std::uint64_t hash() const {
    const std::uint64_t place = xxh3(origin.file, std::strlen(origin.file), origin.line);
    return xxh3(text.data(), text.size(), place ^ static_cast<std::uint64_t>(origin.level) << 1 ^ (to_logger ? 1 : 0));
  }
  bool is_of(const FormatSite& site) const { return site.is_of(origin, text.data(), to_logger); }
  std::unique_ptr<FormatSite> make() const { return make_site(origin, text, use, to_logger); }
  // One of each level.
  FormatKey of_any_text() const { return {{origin.level, "", 0, ""}, "", to_logger, FormatUse::kText}; }
};

}  // namespace

RunTimeSites<FormatSite>& format_sites() {
  static NeverDestroyed<RunTimeSites<FormatSite>> sites;
  return *sites;
}
STENO_MAKE_EARLY(format_sites())

bool FormatSite::is_of(const Origin& origin, const char* text, bool to_logger) const {
  return entry.level == origin.level && entry.line == origin.line && entry.to_logger == to_logger &&
         std::strcmp(format.c_str(), text) == 0 && std::strcmp(file.c_str(), origin.file) == 0;
}

const FormatSite& find_format_site(const Origin& origin, const char* text, bool to_logger) {
  return format_sites().find(FormatKey{origin, text, to_logger});
}

}  // namespace steno::runtime
