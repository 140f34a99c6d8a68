// Statements in C (c_record.h): their registration, and the long way of their records.
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "runtime/hooks.h"
#include "runtime/write_arguments.h"
#include "steno/detail/brace_format.h"
#include "steno/detail/c_record.h"
#include "steno/detail/capture.h"
#include "steno/detail/format_check.h"
#include "steno/detail/printf_format.h"
#include "steno/detail/site.h"
#include "steno/detail/writer.h"
#include "steno/logger.h"
#include "wire/dictionary.h"

namespace steno {
namespace {

using detail::Bytes;
using detail::FormatCheck;
using detail::FormatError;
using detail::kMaxArguments;
using detail::SiteEntry;
using detail::Wire;

constexpr std::size_t kToMeasure = SIZE_MAX - 1;  // c_record.h

// How the records of a statement that goes the long way are made. Never freed, as another thread may be at it when its
// library goes.
// A plan also keeps the entry of one that has secrets or lists, and goes no long way.
struct Plan {
  const Plan* next = nullptr;
  SiteEntry entry;
  std::string types;  // as logged; of one that has secrets or lists with the meanings after a NUL
  FormatCheck check;
  bool as_text = false;  // the format is wrong: it is logged as it stands
  mutable bool warned = false;
};

// All of them, so that none is taken for a leak.
std::atomic<const Plan*> plans{nullptr};

const SiteEntry& entry_of(const steno_detail_site* site) {
  return *reinterpret_cast<const SiteEntry*>(site);  // layout.cc
}

// Returns whether the site has marks where C++ has meanings (c_record.h).
bool has_marks(const SiteEntry& site) {
  return site.described && site.types[std::strlen(site.types) + 1] == 1;
}

// The mark of an argument: '!' for a secret, 'a' and 'h' for a list of such numbers, '-' for all others.
char mark_of(const SiteEntry& site, std::size_t i) {
  return has_marks(site) ? site.types[std::strlen(site.types) + 2 + i] : '-';
}

bool is_secret(const SiteEntry& site, std::size_t i) {
  return mark_of(site, i) == '!';
}

// A string stands for a secret: the format has to fit that, too.
FormatError check_shown(const SiteEntry& site) {
  std::string shown = site.types;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (is_secret(site, i)) shown[i] = static_cast<char>(ArgType::kString);
  }
  const FormatCheck check = detail::check_brace(site.format, std::strlen(site.format), shown.c_str(), shown.size());
  return check.error == FormatError::kNone ? FormatError::kNone : FormatError::kSecretSpec;
}

// Appends the meanings to `types`, as C++ has them: each argument's meaning, and a NUL.
std::string with_meanings(const SiteEntry& site, std::string types) {
  const std::size_t count = types.size();
  types += '\0';
  for (std::size_t i = 0; i < count; ++i) {
    const char mark = i < std::strlen(site.types) ? mark_of(site, i) : '-';
    if (mark == 'a' || mark == 'h') types += '[';
    if (mark != '-') types += mark;
    types += '\0';
  }
  return types;
}

FormatCheck check(const SiteEntry& site) {
  const std::size_t length = std::strlen(site.format);
  const std::size_t count = std::strlen(site.types);
  if (has_marks(site)) {
    FormatCheck of_values = detail::check_brace(site.format, length, site.types, count);
    if (of_values) of_values.error = check_shown(site);
    return of_values;
  }
  return site.style == static_cast<std::uint8_t>(wire::Style::kPrintf)
             ? detail::check_printf(site.format, length, site.types, count)
             : detail::check_brace(site.format, length, site.types, count);
}

// Returns whether the statement itself can write its records: each argument by its type, and nothing more.
bool is_plain(const SiteEntry& site, const FormatCheck& check) {
  if (!check || check.uses_errno) return false;
  for (int i = 0; site.types[i] != '\0'; ++i) {
    const auto type = static_cast<ArgType>(site.types[i]);
    if (check.types[i] != site.types[i] || (is_string(type) && type != ArgType::kString)) return false;
    if (check.literal_bound(i) >= 0 || check.bound_argument(i) >= 0) return false;
  }
  return true;
}

std::uint16_t size8_of(const std::string& types) {
  std::size_t bytes = detail::kArgsOffset;
  for (const char letter : types) {
    if (is_string(static_cast<ArgType>(letter))) return 0;
    bytes += fixed_size(static_cast<ArgType>(letter));
  }
  return static_cast<std::uint16_t>((bytes + 7) / 8);
}

Plan* make_plan(const SiteEntry& site, const FormatCheck& check) {
  auto plan = std::make_unique<Plan>();
  plan->check = check;
  plan->as_text = !check;
  plan->entry = site;
  plan->entry.long_way = true;
  if (plan->as_text) {
    plan->types = static_cast<char>(ArgType::kString);
    plan->entry.format = "%s";
    plan->entry.style = static_cast<std::uint8_t>(wire::Style::kPrintf);
  } else {
    plan->types.assign(check.types, std::strlen(site.types));
    if (check.uses_errno) plan->types += static_cast<char>(ArgType::kErrno);
  }
  plan->entry.size8 = size8_of(plan->types);
  plan->entry.described = has_marks(site) && !plan->as_text;
  if (plan->entry.described) plan->types = with_meanings(site, plan->types);
  plan->entry.types = plan->types.c_str();
  return plan.release();
}

void keep(Plan* plan) {
  plan->next = plans.load(std::memory_order_relaxed);
  while (!plans.compare_exchange_weak(plan->next, plan, std::memory_order_relaxed)) {
  }
}

// One that has secrets or lists, and writes its records itself.
std::uint64_t register_described(const SiteEntry& site) {
  auto* const plan = new Plan;
  plan->types = with_meanings(site, site.types);
  plan->entry = site;
  plan->entry.types = plan->types.c_str();
  keep(plan);
  return detail::register_site(plan->entry);
}

// Returns the statement's word. Of two threads that come at once one plan stays.
std::uint64_t register_statement(const steno_detail_site* c_site) {
  const SiteEntry& site = entry_of(c_site);
  const FormatCheck checked = check(site);
  if (is_plain(site, checked)) return has_marks(site) ? register_described(site) : detail::register_site(site);
  const void* known = nullptr;
  Plan* plan = make_plan(site, checked);
  // Release: pairs with the acquire load in steno_detail_log().
  if (!__atomic_compare_exchange_n(&c_site->state->plan, &known, static_cast<const void*>(plan), false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    delete plan;
    return detail::register_site(static_cast<const Plan*>(known)->entry);
  }
  keep(plan);
  return detail::register_site(plan->entry);
}

void warn(const SiteEntry& site, const Plan& plan) {
  if (__atomic_exchange_n(&plan.warned, true, __ATOMIC_RELAXED)) return;
  runtime::warn_of_process(std::string(site.file) + ":" + std::to_string(site.line) + ": the format \"" + site.format +
                           "\" is logged as plain text: " + describe(plan.check.error));
}

// The most units of string argument `i` that may be looked at.
std::size_t bound_of(const Plan* plan, const char* types, const Wire* arguments, int i) {
  if (plan == nullptr) return detail::kUnbounded;
  if (plan->check.literal_bound(i) >= 0) return static_cast<std::size_t>(plan->check.literal_bound(i));
  const int holder = plan->check.bound_argument(i);
  if (holder < 0) return detail::kUnbounded;
  const auto type = static_cast<ArgType>(types[holder]);
  std::int64_t precision = 0;
  std::memcpy(&precision, arguments[holder].number, fixed_size(type));
  const unsigned unused = 64 - 8 * fixed_size(type);
  const bool is_signed = is_signed_integer(type) || type == ArgType::kChar;
  if (is_signed) precision = static_cast<std::int64_t>(static_cast<std::uint64_t>(precision) << unused) >> unused;
  return precision < 0 ? detail::kUnbounded : static_cast<std::size_t>(precision);
}

Bytes string_of(const void* text, ArgType type, std::size_t bound) {
  return type == ArgType::kString ? detail::c_string(static_cast<const char*>(text), bound)
                                  : detail::c_string(static_cast<const wchar_t*>(text), bound);
}

// Arguments as they came to arguments as they are logged; returns the bytes of strings, and of the fixed part.
std::size_t take(const SiteEntry& site, const Plan* plan, const steno_detail_value* values, int error, Wire* arguments,
                 std::size_t* fixed_bytes) {
  const char* const given = site.types;
  const char* const logged = plan != nullptr ? plan->entry.types : site.types;
  std::memcpy(static_cast<void*>(arguments), values, std::strlen(given) * sizeof(Wire));
  std::size_t payload = 0;
  *fixed_bytes = 0;
  for (int i = 0; logged[i] != '\0'; ++i) {
    const auto type = static_cast<ArgType>(logged[i]);
    *fixed_bytes += fixed_size(type);
    if (type == ArgType::kErrno) {
      new (&arguments[i]) Wire(detail::Scalar<std::int32_t>{error});
    } else if (type == ArgType::kPointer && given[i] == 'S') {
      const void* const pointer = arguments[i].string.data;
      new (&arguments[i]) Wire(detail::Scalar<const void*>{pointer});
    } else if (is_string(type)) {
      // wchar_t* comes as what it is to C, a pointer in a number.
      const void* text = nullptr;
      std::memcpy(&text, &arguments[i], sizeof text);
      const bool measured = type == ArgType::kString && arguments[i].string.size < kToMeasure;
      if (!measured) new (&arguments[i]) Wire(string_of(text, type, bound_of(plan, given, arguments, i)));
      payload += detail::payload_size(arguments[i].string);
    }
  }
  return payload;
}

template <class Slot>
bool log(Slot slot, const SiteEntry& site, const Plan* plan, std::uint64_t found, const steno_detail_value* values,
         int error) {
  const std::uint64_t word = slot.address(found & ~detail::kLongWay);
  if (plan != nullptr && plan->as_text) {
    warn(site, *plan);
    const Wire text(Bytes{site.format, std::strlen(site.format)});
    return runtime::write_arguments(slot, plan->entry, 4, word, &text, text.string.size);
  }
  alignas(Wire) unsigned char storage[sizeof(Wire) * (kMaxArguments + 1)];
  Wire* const arguments = reinterpret_cast<Wire*>(storage);
  std::size_t fixed_bytes = 0;
  const std::size_t payload = take(site, plan, values, error, arguments, &fixed_bytes);
  return runtime::write_arguments(slot, plan != nullptr ? plan->entry : site, fixed_bytes, word, arguments, payload);
}

}  // namespace
}  // namespace steno

extern "C" {

void steno_detail_register(const steno_detail_site* const* begin, const steno_detail_site* const* end) {
  for (; begin != end; ++begin) {
    if (*begin != nullptr) (void)steno::register_statement(*begin);
  }
}

void steno_detail_withdraw(const void* library) {
  steno::detail::withdraw_library(library);
}

bool steno_detail_log(const steno_detail_site* site, const steno_logger* logger, const steno_detail_value* values) {
  using namespace steno;
  const int error = errno;
  // Acquire: pairs with the release store in Registry::set_word. Whoever sees a word sees the plan that was stored
  // before it, and takes no statement that has one for a plain one.
  std::uint64_t word = __atomic_load_n(&site->state->word, __ATOMIC_ACQUIRE);
  if (word == 0) word = register_statement(site);
  bool accepted = true;
  if ((word & detail::kDisabledBit) == 0) {
    const auto* plan = static_cast<const Plan*>(__atomic_load_n(&site->state->plan, __ATOMIC_ACQUIRE));
    if (logger == nullptr) {
      accepted = log(detail::DefaultSlot(), entry_of(site), plan, word, values, error);
    } else {
      const auto& state = *reinterpret_cast<const detail::LoggerState*>(logger);
      accepted = log(detail::LoggerSlot(state), entry_of(site), plan, word, values, error);
    }
  }
  errno = error;
  return accepted;
}

uint64_t steno_detail_call_clock(uint32_t slot) {
  return steno::detail::call_clock(slot);
}

void steno_detail_notify(uint32_t slot) {
  steno::detail::notify(slot);
}

char* steno_detail_copy(char* to, const void* data, size_t size) {
  return steno::detail::copy_payload(to, {data, size});
}

}  // extern "C"
