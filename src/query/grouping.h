// --by: which result a record belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "query/cell.h"
#include "query/parts.h"
#include "query/statement.h"
#include "query/time_steps.h"

namespace steno::query {

struct KeySpec {
  enum class By { kLevel, kThread, kLogger, kSite, kArgument, kTime };
  By by = By::kLevel;
  std::string title;
  ArgumentOf argument;
  TimeSteps steps;  // of kTime
};

inline constexpr std::size_t kMaxKeys = 4;

// "level", "thread", "logger", "site", "time:1s", "arg NAME" or a name. kInvalidArgument says what is wrong with one.
// Steps of time are in UTC, or in the reader's time zone if `local_span` says when the log was.
Result<std::vector<KeySpec>> parse_keys(const std::vector<std::string>& texts, const Statement* statement,
                                        const TimeSpan* local_span = nullptr);

// The values of the keys, as numbers; texts are interned.
using Key = std::array<std::uint64_t, kMaxKeys>;
struct KeyHash {
  std::size_t operator()(const Key& key) const;
};

// Texts as numbers, for all threads.
class Interner {
 public:
  std::uint64_t id_of(std::string_view text);
  const std::string& text_of(std::uint64_t id) const { return texts_[id]; }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string_view, std::uint64_t> ids_;
  std::deque<std::string> texts_;
};

// Finds the keys of a part's rows. One a thread.
class KeyReader {
 public:
  KeyReader(const std::vector<KeySpec>& specs, Interner* interner) : specs_(specs), interner_(interner) {}

  // True: all rows have the key `key()`. False: at(row) tells.
  bool read(const Part& part);
  const Key& key() const { return key_; }
  const Key& at(std::size_t row) {
    for (const std::size_t i : varying_) key_[i] = columns_[i][row];
    return key_;
  }

 private:
  bool read_one(const KeySpec& spec, const Part& part, std::uint64_t* constant, std::vector<std::uint64_t>* column);
  bool read_threads(const Part& part, std::uint64_t* constant, std::vector<std::uint64_t>* column);
  bool read_times(const TimeSteps& steps, const Part& part, std::uint64_t* constant,
                  std::vector<std::uint64_t>* column);
  bool read_argument(std::uint32_t index, const Part& part, std::uint64_t* constant,
                     std::vector<std::uint64_t>* column);
  std::uint64_t intern(std::string_view text);

  const std::vector<KeySpec>& specs_;
  Interner* interner_;
  std::unordered_map<std::string, std::uint64_t> known_;  // of interner_, without its lock
  Key key_{};
  std::vector<std::size_t> varying_;
  std::array<std::vector<std::uint64_t>, kMaxKeys> columns_;
};

// A key's value for people.
Cell cell_of(const KeySpec& spec, std::uint64_t value, const Interner& interner);

}  // namespace steno::query
