// The loggers of a slot, by id. They are made and never moved or freed: a handle that a user kept works as long as the
// process, and in its forked children, whose loggers have the same ids and names.
//
// Thread safety: add() needs a lock held by the caller. Everything else can be called at any time, also in a forked
// child, where a thread that was inside add() is gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "steno/level.h"
#include "steno/logger.h"

namespace steno::runtime {

class LoggerTable {
 public:
  static constexpr std::uint32_t kMost = 0x8000;  // a record has 15 bits for the id

  // That of a slot, made if need be; nullptr: out of memory.
  static LoggerTable* of(std::uint32_t slot);
  // nullptr: there is none yet.
  static LoggerTable* at(std::uint32_t slot);

  // The next id's; nullptr: there are kMost, or memory is out.
  detail::LoggerState* add(const std::string& name, Level threshold);
  // An open logger of that name; nullptr if there is none.
  detail::LoggerState* find(const std::string& name);
  std::uint32_t slot() const { return slot_; }
  std::uint32_t size() const { return size_.load(std::memory_order_acquire); }
  detail::LoggerState& state(std::uint32_t id) { return entries_[id]->state; }
  const std::string& name(std::uint32_t id) const { return entries_[id]->name; }
  // They refuse everything for good. For Levels alone.
  void close_all();

 private:
  struct Entry {
    detail::LoggerState state;
    std::string name;
  };

  explicit LoggerTable(std::uint32_t slot) : slot_(slot) {}

  const std::uint32_t slot_;
  Entry** entries_ = nullptr;  // kMost pointers, never moved; the pages appear as they are used
  std::atomic<std::uint32_t> size_{0};
};

}  // namespace steno::runtime
