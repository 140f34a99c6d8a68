// The messages of the crash tests: a running number per thread, in every shape a record can have, with arguments that
// follow from thread and number, so that whoever reads the log knows each of them. The checker (programs/checker.cc)
// logs them; Ledger (ledger.h) says what each must read.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "steno/level.h"

namespace steno::crash {

inline constexpr unsigned kMaxThreads = 8;

enum class Shape {
  kNothing,  // no arguments: known by its place alone
  kOne,      // one integer
  kInts,     // integers of several widths
  kDoubles,
  kShort,       // one string, often empty
  kText,        // a number and a string of up to 300 bytes
  kTerminated,  // char*
  kPrintf,
  kMixed,  // bool, char, view
  kLogger,
  kLoggerPrintf,
  kError,  // a level that is written at once
  kLarge,  // beyond what is written the short way
  kHuge,   // beyond small rings: cut there
};

// SplitMix64: what an argument is made of.
constexpr std::uint64_t mix(std::uint64_t thread, std::uint64_t number) {
  std::uint64_t z = (thread << 48 ^ number) + 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

constexpr Shape shape_of(std::uint64_t number) {
  if (number % 997 == 996) return Shape::kHuge;
  if (number % 251 == 250) return Shape::kLarge;
  if (number % 241 == 240) return Shape::kError;
  return static_cast<Shape>(number % 11);
}

// `size` letters that depend on all of it.
inline std::string letters(std::uint64_t seed, std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    text[i] = static_cast<char>('a' + (seed >> i % 59) % 26 + (i % 7 == 6 ? -32 : 0));
  return text;
}

// The string that message `number` of a thread carries.
inline std::string text_of(Shape shape, std::uint64_t thread, std::uint64_t number) {
  const std::uint64_t seed = mix(thread, number);
  switch (shape) {
    case Shape::kShort:
      return letters(seed, seed % 16);
    case Shape::kText:
    case Shape::kTerminated:
      return letters(seed, seed % 301);
    case Shape::kLarge:
      return letters(seed, 2048 + seed % 1000);
    case Shape::kHuge:
      return letters(seed, 20000 + seed % 30000);
    default:
      return letters(seed, 1 + seed % 24);
  }
}

struct Expected {
  std::string message;
  std::string_view logger;
  Level level = Level::kInfo;
  bool may_be_cut = false;  // its string is last
};
Expected expected_message(std::uint64_t thread, std::uint64_t number);
// Returns whether `message` is `whole`, or that with the string at its end cut and marked as types.md says.
bool is_or_cut(std::string_view whole, std::string_view message);
bool reads_as(const Expected& expected, std::string_view message);

// The ways in which a checker ends.
enum class Ending : std::uint64_t {
  kReturn,  // its threads end, main returns
  kKill,    // SIGKILL; and all that follow happen while its threads log
  kUnderscoreExit,
  kSegmentationFault,
  kAbort,
  kTerminate,
  kExit,
  kQuickExit,
  kMainReturns,
  kException,  // one of its threads dies of it
  kCancel,     // its threads are cancelled, main returns
};

// The counts that a checker's threads share with their observers, in a mapped file that outlives them.
struct alignas(64) Count {
  std::uint64_t done = 0;  // atomic: so many calls have returned
};
struct Counts {
  std::uint32_t started = 0;    // start() has returned
  std::uint32_t rotations = 0;  // of its log, by itself
  std::uint32_t reopened = 0;   // of these, noticed by the scribe: a session has begun in another file at the path
  std::uint32_t restarts = 0;
  std::array<Count, kMaxThreads> threads;
};

// Returns whether a session has begun in the file at `path`. Only then has the one before it ended in the file that was
// renamed: the scribe makes the new file first, and until its session has begun, the records that wait in staging are
// read as the old session's.
bool has_begun(const std::string& path);

// The name of a checker's thread in the log: run and thread. False: not such a name.
std::string thread_name(std::uint64_t run, unsigned thread);
bool parse_thread_name(std::string_view name, std::uint64_t* run, unsigned* thread);

}  // namespace steno::crash
