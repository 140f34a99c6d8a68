// Random logs whose records are known, and random conditions whose truth is known: what fast answers are checked
// against.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "../reader/file_builder.h"

namespace steno::test {

// One argument as the test knows it; monostate: a null string.
using KnownValue = std::variant<std::monostate, std::int64_t, std::uint64_t, double, bool, std::string>;

struct KnownRecord {
  std::uint32_t site = 0;
  Level level{};
  std::string file;
  std::uint32_t line = 0;
  std::string logger;
  std::string thread;
  std::uint64_t tid = 0;
  std::int64_t time = 0;
  std::vector<std::pair<std::string, KnownValue>> arguments;
  std::string message;
};

struct KnownLog {
  std::string bytes;
  std::vector<KnownRecord> records;  // session after session, block after block, ring after ring
};

// Several sessions, threads, loggers, blocks with few and with many records. `rows`: data blocks are rows blocks.
KnownLog random_log(std::uint32_t seed, bool rows, std::size_t blocks, std::size_t most_in_block);

struct KnownCondition {
  std::string text;
  std::function<std::optional<bool>(const KnownRecord&)> holds;  // nothing: unknown
};
// An expression of --where.
KnownCondition random_condition(std::mt19937& random, const KnownLog& log, int depth);

}  // namespace steno::test
