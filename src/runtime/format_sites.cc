#include "runtime/format_sites.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "base/checksum.h"
#include "base/early.h"
#include "base/signal_safe_lock.h"
#include "runtime/brace_sites.h"
#include "runtime/format_types.h"
#include "runtime/hooks.h"
#include "runtime/site_table.h"
#include "steno/detail/arg_type.h"
#include "wire/dictionary.h"
#include "wire/record.h"

namespace steno::runtime {
namespace {

constexpr std::size_t kLevels = 7;
constexpr char kWholeText[] = "%s";
constexpr std::size_t kLongest = 4096;  // format that is kept

struct FormatSites : SiteTable<FormatSite> {  // by the hash of what is_of() compares
  std::unique_ptr<FormatSite> of_text[kLevels][2];
};

std::atomic<std::size_t> most_sites{1000};
std::atomic<bool> warned_of_many{false};

FormatSites& format_sites() {
  alignas(FormatSites) static unsigned char storage[sizeof(FormatSites)];
  static FormatSites* const sites = new (storage) FormatSites;  // never destroyed
  return *sites;
}
STENO_MAKE_EARLY(format_sites())

const char this_library = 0;  // statements made here never go

std::uint64_t hash_of(const Origin& origin, std::string_view text, bool to_logger) {
  const std::uint64_t place = xxh3(origin.file, std::strlen(origin.file), origin.line);
  return xxh3(text.data(), text.size(), place ^ static_cast<std::uint64_t>(origin.level) << 1 ^ (to_logger ? 1 : 0));
}

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

}  // namespace

bool FormatSite::is_of(const Origin& origin, const char* text, bool to_logger) const {
  return entry.level == origin.level && entry.line == origin.line && entry.to_logger == to_logger &&
         std::strcmp(format.c_str(), text) == 0 && std::strcmp(file.c_str(), origin.file) == 0;
}

const FormatSite& find_format_site(const Origin& origin, const char* text, bool to_logger) {
  const std::string_view format(text);
  const std::uint64_t hash = hash_of(origin, format, to_logger);
  FormatSites& all = format_sites();
  bool many = false;
  const FormatSite* found = nullptr;
  {
    const SignalSafeLock lock(all.mutex);
    found = all.find(hash, [&](const FormatSite& site) { return site.is_of(origin, text, to_logger); });
    if (found != nullptr) return *found;
    many = all.size() >= most_format_sites();
    if (!many && format.size() <= kLongest) {
      return all.add(hash, make_site(origin, format, FormatUse::kArguments, to_logger));
    }
    std::unique_ptr<FormatSite>& text_site = all.of_text[static_cast<std::size_t>(origin.level)][to_logger ? 1 : 0];
    if (text_site == nullptr) text_site = make_site({origin.level, "", 0, ""}, "", FormatUse::kText, to_logger);
    found = text_site.get();
  }
  if (many) warn_of_many_formats();
  return *found;
}

void warn_of_many_formats() {
  if (warned_of_many.exchange(true)) return;
  warn_of_process("more than " + std::to_string(most_format_sites()) +
                  " formats came at run time: further ones are logged as text; does the program put data into its "
                  "formats? (steno::set_most_formats)");
}

void set_most_format_sites(std::size_t most) {
  most_sites = most;
}

std::size_t most_format_sites() {
  return most_sites;
}

void hold_format_sites() {
  hold_brace_sites();
  format_sites().mutex.lock();
}

void release_format_sites() {
  format_sites().mutex.unlock();
  release_brace_sites();
}

}  // namespace steno::runtime
