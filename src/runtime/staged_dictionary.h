// The dictionary of one core's staging (ring.md §3): statements and loggers, for processes that read the rings after
// this one. Entries that do not fit are kept and retried.
//
// Thread safety: any thread may call these.
#pragma once

#include <mutex>
#include <string>

#include "base/bytes.h"
#include "staging/own_staging.h"

namespace steno::runtime {

class StagedDictionary {
 public:
  explicit StagedDictionary(staging::OwnStaging& staging) : staging_(staging) {}

  // Before the first record that refers to one of them. Two system calls.
  void append(const ByteBuffer& entries);
  // Tries once more to write what there was no room for. Nearly free where there is nothing.
  void retry();
  // That entries found no room, or that they have it again; empty: nothing is new.
  std::string take_warning();

 private:
  void write();

  staging::OwnStaging& staging_;
  std::mutex mutex_;
  ByteBuffer unwritten_;
  std::string warnings_;   // lines
  bool is_short_ = false;  // of room, and warned of it
};

}  // namespace steno::runtime
