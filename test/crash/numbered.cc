#include "numbered.h"

#include <sys/stat.h>

#include <charconv>
#include <cinttypes>
#include <cstdio>

namespace steno::crash {
namespace {

// The oracle: the C library's own printf.
template <class... Args>
std::string print(const char* format, Args... args) {
  std::array<char, 512> text{};
  const int size = std::snprintf(text.data(), text.size(), format, args...);
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

Expected expected_message(std::uint64_t thread, std::uint64_t number) {
  const Shape shape = shape_of(number);
  const std::uint64_t bits = mix(thread, number);
  const std::string text = text_of(shape, thread, number);
  const std::string head = std::to_string(number);
  switch (shape) {
    case Shape::kNothing:
      return {"nothing to say", "", Level::kInfo};
    case Shape::kOne:
      return {head, "", Level::kInfo};
    case Shape::kInts:
      return {head + print(" of %u: %d %d %" PRId64 " %" PRIu64, static_cast<unsigned>(thread),
                           static_cast<std::int8_t>(bits), static_cast<std::int16_t>(bits >> 8),
                           static_cast<std::int64_t>(bits), bits),
              "", Level::kDebug};
    case Shape::kDoubles:
      return {head + print(" at %.4f and %.2f", static_cast<double>(bits >> 20) / 1024,
                           static_cast<double>(static_cast<float>(bits >> 50) / 4)),
              "", Level::kInfo};
    case Shape::kShort:
      return {text, "", Level::kNotice};
    case Shape::kText:
      return {head + " says " + text, "", Level::kInfo};
    case Shape::kTerminated:
      return {head + " ends " + text, "", Level::kTrace};
    case Shape::kPrintf:
      return {head + print(" printed %s %08" PRIx64 " %.3e", text.c_str(), bits >> 32, static_cast<double>(bits)), "",
              Level::kInfo};
    case Shape::kMixed:
      return {head + print(" %s %c ", bits % 2 != 0 ? "true" : "false", static_cast<char>('A' + bits % 26)) + text, "",
              Level::kWarn};
    case Shape::kLogger:
      return {head + " for " + text, "net.http", Level::kInfo};
    case Shape::kLoggerPrintf:
      return {head + print(" in %" PRIu64, bits), "store", Level::kNotice};
    case Shape::kError:
      return {head + " went wrong: " + text, "", Level::kError};
    case Shape::kLarge:
      return {head + " is large: " + text, "", Level::kInfo, true};
    case Shape::kHuge:
      return {head + " is huge: " + text, "", Level::kInfo, true};
  }
  return {};
}

bool is_or_cut(std::string_view whole, std::string_view message) {
  if (message == whole) return true;
  constexpr std::string_view kOpen = "\u2026[+";
  constexpr std::string_view kClose = " bytes]";
  const std::size_t kept = message.find(kOpen);
  if (kept == std::string_view::npos || kept < 16 || message.size() < kept + kOpen.size() + kClose.size()) return false;
  if (message.substr(0, kept) != whole.substr(0, kept) || !message.ends_with(kClose)) return false;
  message.remove_prefix(kept + kOpen.size());
  message.remove_suffix(kClose.size());
  return message == std::to_string(whole.size() - kept);
}

bool reads_as(const Expected& expected, std::string_view message) {
  return expected.may_be_cut ? is_or_cut(expected.message, message) : message == expected.message;
}

bool has_begun(const std::string& path) {
  struct stat st {};
  return stat(path.c_str(), &st) == 0 && st.st_size != 0;
}

std::string thread_name(std::uint64_t run, unsigned thread) {
  return "run " + std::to_string(run) + " thread " + std::to_string(thread);
}

bool parse_thread_name(std::string_view name, std::uint64_t* run, unsigned* thread) {
  constexpr std::string_view kRun = "run ";
  constexpr std::string_view kThread = " thread ";
  if (name.substr(0, kRun.size()) != kRun) return false;
  name.remove_prefix(kRun.size());
  const std::size_t middle = name.find(kThread);
  if (middle == std::string_view::npos) return false;
  const char* end = name.data() + name.size();
  return std::from_chars(name.data(), name.data() + middle, *run).ptr == name.data() + middle &&
         std::from_chars(name.data() + middle + kThread.size(), end, *thread).ptr == end && *thread < kMaxThreads;
}

}  // namespace steno::crash
