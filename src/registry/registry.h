// All call sites of the process: dense ids, their facts (the library's own until it is unloaded), and which are
// enabled.
//
// Thread safety: every member may be called from any thread. Registration happens in static initialisers, before main
// and in dlopen, so nothing here depends on another static object; the registry is made on first use and never
// destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/fork_gate.h"
#include "base/level_rules.h"
#include "base/never_destroyed.h"
#include "base/signal_safe_lock.h"
#include "steno/detail/site.h"
#include "wire/dictionary.h"
#include "wire/record.h"

namespace steno::registry {

class Registry {
 public:
  static Registry& instance();

  // Gives the site an id (the one it had, if a library comes back), sets its word and returns it.
  std::uint64_t add(const detail::SiteEntry& site);
  // Forgets the words of a library that is being unloaded. Ids and facts stay: its records may still wait.
  void withdraw(const void* library);

  // Sites of statements that name no logger are enabled from this level up, if no rule is about them.
  void set_threshold(Level level);
  // Those of statements; they come before the threshold, and before loggers (level_of_statement()).
  void set_rules(std::vector<LevelRule> rules);
  // Returns whether a rule enables any statement regardless of its logger's level.
  bool overrides_loggers() const { return overrides_loggers_.load(std::memory_order_relaxed); }
  // visit(info, word, to_logger) for each site whose library is there, under the lock.
  using Visit = std::function<void(const wire::SiteInfo& info, std::uint64_t word, bool to_logger)>;
  void visit(const Visit& visit) const;

  // One more than the largest id.
  std::uint32_t end() const;
  // The facts of a site; the protocol's own too. False: no such id.
  bool find(std::uint32_t id, wire::SiteInfo* info) const;

  // `listener` gets the dictionary entries (file.md §5) of all sites that are there, in pieces, then of each that
  // comes; always under the registry's lock, so that none is missed or seen twice.
  using Listener = std::function<void(const ByteBuffer& entries)>;
  void subscribe(Listener listener);
  // In the child of a fork. It has no listeners.
  void after_fork();

 private:
  struct Entry {
    std::uint32_t id = 0;
    detail::SiteEntry site{};              // its word and its texts go with its library
    std::unique_ptr<wire::SiteInfo> kept;  // its facts once that is gone
    std::optional<Level> rule;             // of the rules, where one is about it

    bool is_there() const { return kept == nullptr; }
    void fill(wire::SiteInfo* info) const;
  };

  // The mutex, and no signal handler meanwhile; but until somebody subscribes these may come. They must not log yet
  // (steno/log.h), subscribe() waits for the mutex, and two system calls a site would cost a program of ten thousand
  // sites milliseconds.
  class AddLock {
   public:
    explicit AddLock(Registry& registry);

   private:
    NoCancellation cancellation_;
    std::optional<Change> change_;
    std::optional<Inside> inside_;  // where Change does not block signals
    std::unique_lock<std::mutex> lock_;
  };

  friend class steno::NeverDestroyed<Registry>;
  Registry();
  // The entry that the site had before its library went; it is there again. nullptr: there is none.
  Entry* bring_back(const detail::SiteEntry& site);
  std::uint64_t word_of(const Entry& entry) const;
  void apply_rules(Entry* entry) const;
  // Sets an entry's word; requires that its library is there.
  std::uint64_t set_word(const Entry& entry);

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;                                        // by id, from wire::kFirstUserSite
  std::unordered_multimap<std::uint64_t, std::uint32_t> withdrawn_;  // stable id to index: libraries that may come back
  std::vector<Listener> listeners_;
  std::atomic<bool> has_listeners_{false};  // or had
  Level threshold_ = Level::kInfo;
  std::vector<LevelRule> rules_;
  std::atomic<bool> overrides_loggers_{false};
};

}  // namespace steno::registry
