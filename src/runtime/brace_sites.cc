#include "runtime/brace_sites.h"

#include <cstring>
#include <memory>

#include "base/checksum.h"
#include "base/early.h"
#include "base/never_destroyed.h"
#include "base/own_process.h"
#include "base/within.h"
#include "runtime/thread_state.h"
#include "steno/detail/brace_format.h"
#include "wire/dictionary.h"

namespace steno::runtime {
namespace {

const char brace_library = 0;  // statements made here never go

// Returns whether the format fits the types, and where there are secrets, the strings that stand for them.
bool fits(std::string_view text, const detail::CallTypes& call, std::string_view meanings) {
  if (text.find('\0') != text.npos) return false;  // a site's format ends there
  if (!detail::check_brace(text.data(), text.size(), call.letters, call.count)) return false;
  std::string shown(call.letters, call.count);
  bool any = false;
  for (std::size_t i = 0; i < call.count && call.described; ++i) {
    if (meanings.starts_with(wire::kSecretMark)) shown[i] = static_cast<char>(ArgType::kString);
    any = any || meanings.starts_with(wire::kSecretMark);
    meanings.remove_prefix(meanings.find('\0') + 1);
  }
  return !any || detail::check_brace(text.data(), text.size(), shown.data(), shown.size());
}

std::unique_ptr<BraceSite> make_brace_site(const Origin& origin, std::string_view text, const detail::CallTypes& call,
                                           bool whole) {
  auto site = std::make_unique<BraceSite>();
  site->came = text;
  site->given.assign(call.letters, call.bytes);
  site->file = origin.file;
  site->function = origin.function;
  site->format = text;
  const std::string_view meanings(call.letters + call.count + 1, call.bytes - call.count - 1);
  site->whole = whole || !fits(text, call, meanings);
  if (site->whole) {
    site->format = "{format}";
    for (std::size_t i = 0; i < call.count; ++i) site->format += " {}";
    site->types = "S";
  }
  site->types.append(call.letters, call.count).push_back('\0');
  if (site->whole) site->types.push_back('\0');  // the format has no meaning
  site->types.append(meanings);
  site->entry = {.word = &site->word,
                 .library = &brace_library,
                 .format = site->format.c_str(),
                 .file = site->file.c_str(),
                 .function = site->function.c_str(),
                 .types = site->types.c_str(),
                 .line = origin.line,
                 .size8 = detail::record_size8(site->types.c_str()),
                 .level = origin.level,
                 .style = static_cast<std::uint8_t>(wire::Style::kBrace),
                 .to_logger = true,
                 .described = call.described};
  (void)detail::register_site(site->entry);
  return site;
}

struct BraceKey {
  Origin origin;
  std::string_view text;
  const detail::CallTypes* call;
  bool whole = false;

  std::string_view given() const { return {call->letters, call->bytes}; }
  std::uint64_t hash() const {
    const std::uint64_t place = xxh3(origin.file, std::strlen(origin.file), origin.line);
    const std::uint64_t types = xxh3(call->letters, call->bytes, place ^ static_cast<std::uint64_t>(origin.level));
    return xxh3(text.data(), text.size(), types);
  }
  bool is_of(const BraceSite& site) const { return site.is_of(origin, text, given()); }
  std::unique_ptr<BraceSite> make() const { return make_brace_site(origin, text, *call, whole); }
  // One of each level for each combination of types, which are the program's, and so few.
  BraceKey of_any_text() const { return {{origin.level, "", 0, ""}, "", call, true}; }
};

// The word of a statement that is refused: it is disabled.
std::uint64_t refused_word = detail::kDisabledBit;
const detail::SiteEntry refused_site = {.word = &refused_word};

}  // namespace

RunTimeSites<BraceSite>& brace_sites() {
  static NeverDestroyed<RunTimeSites<BraceSite>> sites;
  return *sites;
}
STENO_MAKE_EARLY(brace_sites())

bool BraceSite::is_of(const Origin& origin, std::string_view text, std::string_view types_given) const {
  return entry.level == origin.level && entry.line == origin.line && came == text && given == types_given &&
         std::strcmp(file.c_str(), origin.file) == 0;
}

}  // namespace steno::runtime

namespace steno::detail {

const SiteEntry& find_brace_site(const Origin& origin, const char* format, std::size_t size, const CallTypes& types,
                                 bool* whole) noexcept {
  using runtime::BraceSite;
  const std::string_view text(format, size);
  const auto lies = reinterpret_cast<std::uintptr_t>(format) ^ reinterpret_cast<std::uintptr_t>(types.letters);
  runtime::ThreadState* const thread = runtime::tls_state;  // nullptr before its first record
  const BraceSite* site = thread != nullptr ? thread->recent_braces.at(lies) : nullptr;
  if (site == nullptr || !site->is_of(origin, text, {types.letters, types.bytes})) {
    if (is_inside() || !enter_process()) {
      refuse_inner_record();
      return runtime::refused_site;
    }
    site = &runtime::brace_sites().find(runtime::BraceKey{origin, text, &types});
    if (thread != nullptr) thread->recent_braces.at(lies) = site;
  }
  *whole = site->whole;
  return site->entry;
}

}  // namespace steno::detail
