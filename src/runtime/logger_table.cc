#include "runtime/logger_table.h"

#include <cstdlib>
#include <new>

#include "runtime/core.h"

namespace steno::detail {

LoggerState root_logger = {static_cast<std::uint8_t>(Level::kInfo), false, 0, 0};

}  // namespace steno::detail

namespace steno::runtime {
namespace {

std::atomic<LoggerTable*> tables[kMaxSlots];

}  // namespace

LoggerTable* LoggerTable::at(std::uint32_t slot) {
  return tables[slot].load(std::memory_order_acquire);
}

// Called under the lock that makes cores, so there is one.
LoggerTable* LoggerTable::of(std::uint32_t slot) {
  if (LoggerTable* table = at(slot)) return table;
  // From the heap, not a mapping: leak checkers look for the loggers only there. So large a piece comes as untouched
  // pages.
  void* entries = std::calloc(kMost, sizeof(Entry*));
  if (entries == nullptr) return nullptr;
  auto* table = new (std::nothrow) LoggerTable(slot);
  if (table == nullptr) {
    std::free(entries);
    return nullptr;
  }
  table->entries_ = static_cast<Entry**>(entries);
  (void)table->add("", Level::kInfo);  // the nameless one has id 0
  tables[slot].store(table, std::memory_order_release);
  return table;
}

detail::LoggerState* LoggerTable::add(const std::string& name, Level threshold) {
  const std::uint32_t id = size();
  if (id == kMost) return nullptr;
  auto* entry = new (std::nothrow)
      Entry{{static_cast<std::uint8_t>(threshold), false, static_cast<std::uint16_t>(id), slot_}, name};
  if (entry == nullptr) return nullptr;
  entries_[id] = entry;
  size_.store(id + 1, std::memory_order_release);
  return &entry->state;
}

detail::LoggerState* LoggerTable::find(const std::string& name) {
  for (std::uint32_t id = 0; id < size(); ++id) {
    if (entries_[id]->name == name && !entries_[id]->state.closed) return &entries_[id]->state;
  }
  return nullptr;
}

void LoggerTable::close_all() {
  for (std::uint32_t id = 0; id < size(); ++id) {
    __atomic_store_n(&entries_[id]->state.closed, true, __ATOMIC_RELAXED);
    __atomic_store_n(&entries_[id]->state.threshold, static_cast<std::uint8_t>(kLevelOff), __ATOMIC_RELAXED);
  }
}

}  // namespace steno::runtime
