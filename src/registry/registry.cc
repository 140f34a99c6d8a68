#include "registry/registry.h"

#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "base/early.h"
#include "base/never_destroyed.h"
#include "base/own_process.h"
#include "base/signal_safe_lock.h"

namespace steno::registry {

Registry& Registry::instance() {
  static NeverDestroyed<Registry> registry;
  return *registry;
}
STENO_MAKE_EARLY(Registry::instance())

Registry::Registry() = default;

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 15;  // of the dictionary at a time: no fresh pages for it

// Fills in the parts after the types: meanings, and names of fields.
void fill_described(const detail::SiteEntry& site, wire::SiteInfo* info) {
  const std::size_t count = std::strlen(site.types);
  const char* text = site.types + count + 1;
  for (std::uint32_t i = 0; i < count; ++i, text += std::strlen(text) + 1) {
    if (*text != '\0') info->meanings.push_back({i, text});
  }
  for (std::uint32_t i = 0; i < site.fields; ++i, text += std::strlen(text) + 1) info->context.emplace_back(text);
}

void fill_info(const detail::SiteEntry& site, std::uint32_t id, wire::SiteInfo* info) {
  info->id = id;
  info->level = site.level;
  info->style = static_cast<wire::Style>(site.style);
  info->line = site.line;
  info->format = site.format;
  info->file = site.file;
  info->function = site.function;
  info->types = site.types;
  info->meanings.clear();
  info->context.clear();
  if (site.described) fill_described(site, info);
  if (site.span) info->context = {"span", "parent"};
  info->stable_id = wire::stable_site_id(*info);
}

// Returns whether an object of static storage is the program's own, which no dlclose() takes away.
bool is_of_program(const void* object) {
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  const std::size_t count = headers != nullptr ? getauxval(AT_PHNUM) : 0;
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  std::uintptr_t base = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (headers[i].p_type == PT_PHDR) base = reinterpret_cast<std::uintptr_t>(headers) - headers[i].p_vaddr;
  }
  return std::any_of(headers, headers + count, [&](const ElfW(Phdr) & part) {
    return part.p_type == PT_LOAD && address - (base + part.p_vaddr) < part.p_memsz;
  });
}

}  // namespace

// Into `*info`, whose memory is used again.
void Registry::Entry::fill(wire::SiteInfo* info) const {
  if (kept != nullptr) {
    *info = *kept;
  } else {
    fill_info(site, id, info);
  }
}

Registry::AddLock::AddLock(Registry& registry) {
  // Pairs with the store in subscribe(); what counts is what it is under the mutex.
  if (!registry.has_listeners_.load(std::memory_order_acquire)) {
    change_.emplace(false);
    inside_.emplace();
    lock_ = std::unique_lock(registry.mutex_);
    if (!registry.has_listeners_.load(std::memory_order_relaxed)) return;
    lock_.unlock();
    inside_.reset();
    change_.reset();
  }
  change_.emplace();
  lock_ = std::unique_lock(lock_soon(registry.mutex_), std::adopt_lock);
}

std::uint64_t Registry::word_of(const Entry& entry) const {
  const detail::SiteEntry& site = entry.site;
  const wire::Header header = {entry.id, site.size8, 0};
  const bool by_rule = entry.rule.has_value();
  const bool enabled = by_rule ? site.level >= *entry.rule : site.to_logger || site.level >= threshold_;
  return header.pack() | (enabled ? 0 : detail::kDisabledBit) | (site.long_way ? detail::kLongWay : 0) |
         (enabled && by_rule && site.to_logger ? detail::kOverridesLogger : 0);
}

void Registry::apply_rules(Entry* entry) const {
  if (rules_.empty()) {
    entry->rule.reset();
  } else {
    entry->rule = level_of_statement(rules_, entry->site.file, entry->site.line, entry->site.format);
  }
}

std::uint64_t Registry::set_word(const Entry& entry) {
  const std::uint64_t word = word_of(entry);
  if ((word & detail::kOverridesLogger) != 0) overrides_loggers_.store(true, std::memory_order_relaxed);
  // Release: the entry is in the dictionary of each session before another thread logs with this word. That thread
  // loads it relaxed, which costs nothing, and stores its ring's tail with release after that: so whoever acquires the
  // tail finds the entry, on every machine on which a store reaches all other cores at once, as on x86 and arm64
  // (spec/litmus/site_word.litmus). C++ by itself promises that only for an acquire load.
  __atomic_store_n(entry.site.word, word, __ATOMIC_RELEASE);
  return word;
}

Registry::Entry* Registry::bring_back(const detail::SiteEntry& site) {
  if (withdrawn_.empty()) return nullptr;
  wire::SiteInfo info;
  fill_info(site, 0, &info);
  const auto [first, last] = withdrawn_.equal_range(info.stable_id);
  for (auto it = first; it != last; ++it) {
    Entry& old = entries_[it->second];
    if (old.kept->line != site.line || old.kept->function != site.function || old.kept->level != site.level) continue;
    old.site = site;
    old.kept.reset();
    withdrawn_.erase(it);
    return &old;
  }
  return nullptr;
}

std::uint64_t Registry::add(const detail::SiteEntry& site) {
  const AddLock lock(*this);
  const std::uint64_t known = __atomic_load_n(site.word, __ATOMIC_RELAXED);
  if (known != 0) return known;

  Entry* home = bring_back(site);
  if (home == nullptr) {
    home = &entries_.emplace_back();
    home->id = wire::kFirstUserSite + static_cast<std::uint32_t>(entries_.size() - 1);
    home->site = site;
    if (!listeners_.empty()) {
      wire::SiteInfo info;
      home->fill(&info);
      ByteBuffer bytes;
      wire::append_entry(bytes, info);
      for (const Listener& listener : listeners_) listener(bytes);
    }
  }
  apply_rules(home);
  return set_word(*home);
}

void Registry::withdraw(const void* library) {
  if (is_of_program(library)) return;  // the process ends
  const Change change;
  const SignalSafeLock lock(mutex_);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (!entry.is_there() || entry.site.library != library) continue;
    auto info = std::make_unique<wire::SiteInfo>();
    entry.fill(info.get());
    entry.kept = std::move(info);
    withdrawn_.emplace(entry.kept->stable_id, i);
  }
}

void Registry::set_threshold(Level level) {
  const Change change;
  const SignalSafeLock lock(mutex_);
  threshold_ = level;
  for (const Entry& entry : entries_) {
    if (entry.is_there()) (void)set_word(entry);
  }
}

void Registry::set_rules(std::vector<LevelRule> rules) {
  const Change change;
  const SignalSafeLock lock(mutex_);
  rules_ = std::move(rules);
  bool overrides = false;
  for (Entry& entry : entries_) {
    if (!entry.is_there()) continue;
    apply_rules(&entry);
    overrides = (set_word(entry) & detail::kOverridesLogger) != 0 || overrides;
  }
  overrides_loggers_.store(overrides, std::memory_order_relaxed);
}

void Registry::visit(const Visit& visit) const {
  const SignalSafeLock lock(mutex_);
  wire::SiteInfo info;
  for (const Entry& entry : entries_) {
    if (!entry.is_there()) continue;
    entry.fill(&info);
    visit(info, word_of(entry), entry.site.to_logger);
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
  entries_[id - wire::kFirstUserSite].fill(info);
  return true;
}

void Registry::subscribe(Listener listener) {
  const Change change;
  const SignalSafeLock lock(mutex_);
  ByteBuffer bytes;
  wire::SiteInfo info;
  for (const Entry& entry : entries_) {
    entry.fill(&info);
    wire::append_entry(bytes, info);
    if (bytes.size() < kPieceBytes) continue;
    listener(bytes);
    bytes.clear();
  }
  listener(bytes);
  has_listeners_.store(true, std::memory_order_release);
  listeners_.push_back(std::move(listener));
}

void Registry::after_fork() {
  new (&mutex_) std::mutex;  // whoever held it does not live here
  listeners_.clear();
}

}  // namespace steno::registry

namespace steno::detail {

std::uint64_t register_site(const SiteEntry& entry) noexcept {
  (void)enter_process();
  return registry::Registry::instance().add(entry);
}

std::uint64_t first_word(const SiteEntry& entry) noexcept {
  if (is_inside() || !enter_process()) {
    refuse_inner_record();
    return 0;
  }
  const std::uint64_t word = register_site(entry);
  return (word & kDisabledBit) != 0 ? 0 : word;
}

void withdraw_library(const void* library_id) noexcept {
  registry::Registry::instance().withdraw(library_id);
}

}  // namespace steno::detail
