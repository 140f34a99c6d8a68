#include "registry/registry.h"

#include <algorithm>
#include <cstring>

#include "base/early.h"
#include "base/signal_safe_lock.h"

namespace steno::registry {

Registry& Registry::instance() {
  // Never destroyed: statements in static destructors still need it.
  alignas(Registry) static unsigned char storage[sizeof(Registry)];
  static Registry* const registry = new (storage) Registry;
  return *registry;
}
STENO_MAKE_EARLY(Registry::instance())

Registry::Registry() = default;

namespace {

std::vector<wire::TypeMeaning> meanings_of(const detail::SiteEntry& site) {
  std::vector<wire::TypeMeaning> meanings;
  const std::size_t count = std::strlen(site.types);
  const char* text = site.types + count + 1;
  for (std::uint32_t i = 0; i < count; ++i, text += std::strlen(text) + 1) {
    if (*text != '\0') meanings.push_back({i, text});
  }
  return meanings;
}

}  // namespace

std::uint64_t Registry::word_of(const Entry& entry) const {
  const wire::Header header = {entry.info.id, entry.size8, 0};
  const bool by_rule = entry.rule.has_value();
  const bool enabled = by_rule ? entry.info.level >= *entry.rule : entry.to_logger || entry.info.level >= threshold_;
  return header.pack() | (enabled ? 0 : detail::kDisabledBit) | (entry.long_way ? detail::kLongWay : 0) |
         (enabled && by_rule && entry.to_logger ? detail::kOverridesLogger : 0);
}

void Registry::apply_rules(Entry* entry) const {
  entry->rule = level_of_statement(rules_, entry->info.file, entry->info.line, entry->info.format);
}

std::uint64_t Registry::set_word(const Entry& entry) {
  const std::uint64_t word = word_of(entry);
  if ((word & detail::kOverridesLogger) != 0) overrides_loggers_.store(true, std::memory_order_relaxed);
  __atomic_store_n(entry.word, word, __ATOMIC_RELAXED);
  return word;
}

std::uint64_t Registry::add(const detail::SiteEntry& site) {
  const SignalSafeLock lock(mutex_);
  const std::uint64_t known = __atomic_load_n(site.word, __ATOMIC_RELAXED);
  if (known != 0) return known;

  Entry entry;
  entry.info.level = site.level;
  entry.info.style = static_cast<wire::Style>(site.style);
  entry.info.line = site.line;
  entry.info.format = site.format;
  entry.info.file = site.file;
  entry.info.function = site.function;
  entry.info.types = site.types;
  if (site.described) entry.info.meanings = meanings_of(site);
  if (site.span) entry.info.context = {"span", "parent"};
  entry.info.stable_id = wire::stable_site_id(entry.info);
  entry.word = site.word;
  entry.library = site.library;
  entry.size8 = site.size8;
  entry.to_logger = site.to_logger;
  entry.long_way = site.long_way;

  Entry* home = nullptr;
  const auto [first, last] = withdrawn_.equal_range(entry.info.stable_id);
  for (auto it = first; it != last; ++it) {
    Entry& old = entries_[it->second];
    if (old.info.line != site.line || old.info.function != site.function || old.info.level != site.level) continue;
    entry.info.id = old.info.id;
    old = std::move(entry);
    home = &old;
    withdrawn_.erase(it);
    break;
  }
  if (home == nullptr) {
    entry.info.id = wire::kFirstUserSite + static_cast<std::uint32_t>(entries_.size());
    home = &entries_.emplace_back(std::move(entry));
    ByteBuffer bytes;
    if (!listeners_.empty()) wire::append_entry(bytes, home->info);
    for (const auto& [number, listener] : listeners_) listener(bytes);
  }
  apply_rules(home);
  return set_word(*home);
}

void Registry::withdraw(const void* library) {
  const SignalSafeLock lock(mutex_);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.library != library || entry.word == nullptr) continue;
    entry.word = nullptr;
    withdrawn_.emplace(entry.info.stable_id, i);
  }
}

void Registry::set_threshold(Level level) {
  const SignalSafeLock lock(mutex_);
  threshold_ = level;
  for (const Entry& entry : entries_) {
    if (entry.word != nullptr) (void)set_word(entry);
  }
}

void Registry::set_rules(std::vector<LevelRule> rules) {
  const SignalSafeLock lock(mutex_);
  rules_ = std::move(rules);
  bool overrides = false;
  for (Entry& entry : entries_) {
    apply_rules(&entry);
    if (entry.word != nullptr) overrides = (set_word(entry) & detail::kOverridesLogger) != 0 || overrides;
  }
  overrides_loggers_.store(overrides, std::memory_order_relaxed);
}

void Registry::visit(const Visit& visit) const {
  const SignalSafeLock lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.word != nullptr) visit(entry.info, word_of(entry), entry.to_logger);
  }
}

std::uint32_t Registry::end() const {
  const SignalSafeLock lock(mutex_);
  return wire::kFirstUserSite + static_cast<std::uint32_t>(entries_.size());
}

bool Registry::find(std::uint32_t id, wire::SiteInfo* info) const {
  if (const wire::SiteInfo* known = wire::protocol_site(id); known != nullptr) {
    *info = *known;
    return true;
  }
  const SignalSafeLock lock(mutex_);
  if (id < wire::kFirstUserSite || id - wire::kFirstUserSite >= entries_.size()) return false;
  *info = entries_[id - wire::kFirstUserSite].info;
  return true;
}

int Registry::subscribe(Listener listener) {
  const SignalSafeLock lock(mutex_);
  ByteBuffer bytes;
  for (const Entry& entry : entries_) wire::append_entry(bytes, entry.info);
  listener(bytes);
  listeners_.emplace_back(next_listener_, std::move(listener));
  return next_listener_++;
}

void Registry::unsubscribe(int number) {
  const SignalSafeLock lock(mutex_);
  std::erase_if(listeners_, [number](const auto& entry) { return entry.first == number; });
}

void Registry::before_fork() {
  mutex_.lock();
}

void Registry::after_fork(bool child) {
  if (child) listeners_.clear();
  mutex_.unlock();
}

}  // namespace steno::registry

namespace steno::detail {

std::uint64_t register_site(const SiteEntry& entry) noexcept {
  return registry::Registry::instance().add(entry);
}

std::uint64_t first_word(const SiteEntry& entry) noexcept {
  const std::uint64_t word = register_site(entry);
  return (word & kDisabledBit) != 0 ? 0 : word;
}

void withdraw_library(const void* library_id) noexcept {
  registry::Registry::instance().withdraw(library_id);
}

}  // namespace steno::detail
