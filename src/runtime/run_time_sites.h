// Statements that are made while the program runs, of formats that come as text (steno/logf.h,
// steno/detail/brace_call.h).
//
// They are found by what they were made of, never change but for their word, and are never freed. A program that puts
// data into its formats must not fill the dictionary: for formats beyond most_run_time_sites(), and for those that are
// too long, there is one statement for all, which has the text as an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include "base/fork_gate.h"
#include "base/signal_safe_lock.h"

namespace steno::runtime {

// How many there may be of each syntax; any thread.
void set_most_run_time_sites(std::size_t most);
std::size_t most_run_time_sites();
// That there are more, once in the process. Not under a lock of theirs.
void warn_of_many_formats();
// In the child of a fork.
void renew_run_time_sites();

// Those of one syntax. Thread-safe; not in signal handlers.
template <class Site>
class RunTimeSites {
 public:
  static constexpr std::size_t kLongest = 4096;  // format that becomes a statement

  // The statement of `key`, made if need be. A Key has:
  //   std::string_view text;               the format as it came
  //   std::uint64_t hash() const;
  //   bool is_of(const Site&) const;
  //   std::unique_ptr<Site> make() const;  the statement, registered
  //   Key of_any_text() const;             of the one for formats that are too many or too long
  template <class Key>
  const Site& find(const Key& key) {
    const Site* found = nullptr;
    bool many = false;
    {
      const Change change;
      const SignalSafeLock lock(mutex_);
      if (const Site* known = own_.find(key)) return *known;
      many = own_.size() >= most_run_time_sites();
      if (!many && key.text.size() <= kLongest) return own_.add(key);
      const Key any = key.of_any_text();
      found = of_any_text_.find(any);
      if (found == nullptr) found = &of_any_text_.add(any);
    }
    if (many) warn_of_many_formats();
    return *found;
  }

  // In the child of a fork.
  void after_fork() { new (&mutex_) std::mutex; }

 private:
  class Table {
   public:
    template <class Key>
    const Site* find(const Key& key) const {
      const auto [first, last] = sites_.equal_range(key.hash());
      for (auto it = first; it != last; ++it) {
        if (key.is_of(*it->second)) return it->second.get();
      }
      return nullptr;
    }
    template <class Key>
    const Site& add(const Key& key) {
      return *sites_.emplace(key.hash(), key.make())->second;
    }
    std::size_t size() const { return sites_.size(); }

   private:
    std::unordered_multimap<std::uint64_t, std::unique_ptr<Site>> sites_;
  };

  std::mutex mutex_;
  Table own_;
  Table of_any_text_;
};

}  // namespace steno::runtime
