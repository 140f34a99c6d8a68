// The dictionary of one session: sites, loggers and threads, each as of a place in the file (file.md §5).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/data_reader.h"
#include "steno/read_limits.h"
#include "text/printer.h"
#include "wire/dictionary.h"
#include "wire/record.h"

namespace steno::reader {

// The level of a site whose dictionary entry is missing: none at all. level_name() says "?".
inline constexpr Level kNoLevel = static_cast<Level>(255);

// Readers see the values of secrets (types.md), or kRedacted in their place.
enum class Secrets : std::uint8_t { kRedacted, kShown };

// A call site, with what is needed to print it.
class Site {
 public:
  // `info` as it is in the dictionary; `most_fields`: of a statement whose records can be read as values.
  Site(wire::SiteInfo info, bool known, std::uint32_t ordinal, Secrets secrets, std::uint32_t most_fields);
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  // The entry as readers are to see it: a secret that is redacted is a string, one that is shown a value like any
  // other.
  const wire::SiteInfo& info() const { return info_; }
  // The entry as it is in the file, its secrets marked.
  const wire::SiteInfo& written_info() const { return written_ != nullptr ? *written_ : info_; }
  // False: stands for an id whose dictionary entry is missing.
  bool known() const { return known_; }
  // Returns whether the site's records are among those of `least` and above. Those of an unknown site are so only if
  // `least` admits all levels.
  bool reaches(Level least) const { return least == Level::kTrace || (known_ && info_.level >= least); }
  // For sets of levels: bit n is level n, bit 7 those without one.
  unsigned level_bit() const { return known_ ? 1u << static_cast<unsigned>(info_.level) : kNoLevelBit; }
  static constexpr unsigned kNoLevelBit = 0x80;
  // nullptr: the types have a letter that this version does not know, or are too many.
  const wire::Layout* layout() const { return has_layout_ ? &layout_ : nullptr; }
  // The layout as the bytes of records have it.
  const wire::Layout* wire_layout() const { return has_layout_ ? &wire_layout_ : nullptr; }
  // Returns whether an argument is a secret that is not shown. Requires a site with a layout.
  bool redacts(std::size_t argument) const { return argument < redacted_.size() && redacted_[argument]; }
  bool redacts_any() const { return !redacted_.empty(); }
  // Returns whether the site was made of an entry equal to `info`.
  bool is_of(const wire::SiteInfo& info) const { return written_info() == info; }
  // Dense over everything that shares an Ordinals; for caches beside this class.
  std::uint32_t ordinal() const { return ordinal_; }

  // Compiled at the first call; thread-safe. nullptr: problem() says why.
  const text::Printer* printer() const;
  // Why messages of this site cannot be printed; empty if they can.
  const std::string& problem() const;
  // Names of the arguments, made unique ("x", "x_2"): keys of a JSON object. One for each argument.
  const std::vector<std::string>& argument_names() const;
  // The index of the argument or field of this name. nullopt: there is none, it only says whether others are present
  // (presences()), or there is no layout.
  std::optional<std::uint32_t> find_argument(std::string_view name) const;
  // Or of this number, of up to three digits, if none has it as its name.
  std::optional<std::uint32_t> find_argument_or_number(std::string_view text) const;
  // argument_names() of those that find_argument() finds.
  std::vector<std::string> value_names() const;
  // The meaning of an argument's numbers; nullptr: they are numbers.
  const text::Meaning* meaning(std::size_t argument) const { return meanings_.of(argument); }
  // Which of its arguments may be absent; what says so is among the values, and no value of its own.
  const text::Presences& presences() const { return presences_; }

 private:
  void resolve_secrets(Secrets secrets);
  void compile() const;

  wire::SiteInfo info_;
  std::unique_ptr<const wire::SiteInfo> written_;  // nullptr: as info_
  std::vector<bool> redacted_;                     // by argument; empty: none
  wire::Layout layout_;
  wire::Layout wire_layout_;
  bool has_layout_ = false;
  bool too_wide_ = false;
  text::Meanings meanings_;  // views info_
  text::Presences presences_;
  bool known_;
  std::uint32_t ordinal_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<text::Printer> printer_;
  mutable std::string problem_;
  mutable std::vector<std::string> names_;
};

struct Logger {
  wire::LoggerInfo info;
  bool known = true;
  std::uint32_t ordinal = 0;
};

struct Thread {
  wire::ThreadInfo info;
  bool known = true;
  std::uint32_t ordinal = 0;

  // Its name, else its tid: what people call it.
  std::string display() const;
};

// The state that dictionaries share whose entries one cache holds: where ordinals come from, and what of the entries is
// shown.
struct Ordinals {
  Secrets secrets = Secrets::kRedacted;
  std::uint32_t sites = 0;
  std::uint32_t loggers = 0;
  std::uint32_t threads = 0;
};

// Entries by id; a later one holds from its offset in the file on, and the first one before it too: an earlier copy of
// it may have been damaged (file.md §11).
template <class T>
class VersionTable {
 public:
  struct Version {
    std::uint64_t from;
    const T* entry;
  };

  void add(std::uint32_t id, std::uint64_t from, const T* entry) { versions_[id].push_back({from, entry}); }
  // nullptr: no entry of that id.
  const T* at(std::uint32_t id, std::uint64_t offset) const {
    const auto found = versions_.find(id);
    if (found == versions_.end()) return nullptr;
    const std::vector<Version>& list = found->second;
    const auto later = std::upper_bound(list.begin(), list.end(), offset,
                                        [](std::uint64_t o, const Version& version) { return o < version.from; });
    return later != list.begin() ? std::prev(later)->entry : list.front().entry;
  }
  // The one that was added last; nullptr: none.
  const T* last(std::uint32_t id) const {
    const auto found = versions_.find(id);
    return found != versions_.end() ? found->second.back().entry : nullptr;
  }

 private:
  std::unordered_map<std::uint32_t, std::vector<Version>> versions_;
};

// The name of an id without an entry: "?7".
inline std::string unknown_name(std::uint32_t id) {
  std::string name(1, '?');
  name += std::to_string(id);
  return name;
}

// Sites that several dictionaries of one file have: thousands of packed sessions declare the same few (file.md §15).
// All of these dictionaries have the same Ordinals and limits.
class SitePool {
 public:
  // nullptr: there is none that was made of an entry that says the same.
  std::shared_ptr<const Site> find(const wire::SiteInfo& info) const;
  void add(const wire::SiteInfo& info, const std::shared_ptr<const Site>& site);

 private:
  std::unordered_map<std::uint64_t, std::shared_ptr<const Site>> sites_;  // by what identifies it; one of each
};

// The sites of a dictionary, in the order of their declaration: for (const Site& site : list).
class SiteList {
 public:
  using Sites = std::vector<std::shared_ptr<const Site>>;
  class Iterator {
   public:
    explicit Iterator(Sites::const_iterator at) : at_(at) {}
    const Site& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    Sites::const_iterator at_;
  };

  explicit SiteList(const Sites& sites) : sites_(sites) {}
  Iterator begin() const { return Iterator(sites_.begin()); }
  Iterator end() const { return Iterator(sites_.end()); }

 private:
  const Sites& sites_;
};

// Filled while the file is scanned, constant afterwards.
class Dictionary {
 public:
  // `pool`: of sites that it may share; nullptr: it shares none.
  explicit Dictionary(Ordinals* ordinals, const ReadLimits& limits = {}, SitePool* pool = nullptr);
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  // Adds a dictionary block's entries. False: one is malformed (those before it are in), or there are too many.
  [[nodiscard]] bool add_block(std::span<const std::uint8_t> payload, std::uint64_t offset);
  // Makes stand-ins for what a data block at `offset` names and nobody has declared, so that the lookups below never
  // fail.
  void declare_missing(const format::DataBlock& block, std::uint64_t offset);

  const Site* site(std::uint32_t id, std::uint64_t offset) const;
  const Logger* logger(std::uint32_t id, std::uint64_t offset) const;
  const Thread* thread(std::uint32_t index, std::uint64_t offset) const;

  // Returns whether a site has secrets that are not shown.
  bool redacts_any() const { return redacts_any_; }
  // Returns whether the log has more statements than the dictionary may hold; the rest are not in it.
  bool is_full() const { return is_full_; }

  // Returns whether a data block names a site that nobody has declared.
  bool lacks_sites() const { return !missing_sites_.empty(); }
  // Or a logger or a thread.
  bool is_incomplete() const { return lacks_sites() || !missing_loggers_.empty() || !missing_threads_.empty(); }

  // About how many bytes of memory it holds, without the sites that another one made, and which it shares.
  std::uint64_t memory() const { return memory_; }

  SiteList sites() const { return SiteList(sites_); }
  const std::deque<Logger>& all_loggers() const { return loggers_; }
  const std::deque<Thread>& all_threads() const { return threads_; }
  const VersionTable<Thread>& threads() const { return thread_versions_; }

 private:
  class Loader;

  const Site* add_site(wire::SiteInfo info, bool known);

  Ordinals* ordinals_;
  bool redacts_any_ = false;
  const ReadLimits limits_;
  bool is_full_ = false;
  SitePool* const pool_;
  std::uint64_t memory_ = 0;
  SiteList::Sites sites_;
  std::deque<Logger> loggers_;
  std::deque<Thread> threads_;
  VersionTable<Site> site_versions_;
  VersionTable<Logger> logger_versions_;
  VersionTable<Thread> thread_versions_;
  std::unordered_map<std::uint32_t, const Site*> missing_sites_;
  std::unordered_map<std::uint32_t, const Logger*> missing_loggers_;
  std::unordered_map<std::uint32_t, const Thread*> missing_threads_;
};

// A dictionary as of one place in the file, as the block reader wants it.
class LayoutsAt final : public format::LayoutSource {
 public:
  LayoutsAt(const Dictionary& dictionary, std::uint64_t offset) : dictionary_(dictionary), offset_(offset) {}
  const wire::Layout* layout_of(std::uint32_t id) const override {
    const Site* site = dictionary_.site(id, offset_);
    return site != nullptr ? site->wire_layout() : nullptr;
  }
  bool redacts_any() const override { return dictionary_.redacts_any(); }
  bool redacts(std::uint32_t id, std::size_t argument) const override {
    const Site* site = dictionary_.site(id, offset_);
    return site != nullptr && site->redacts(argument);
  }

 private:
  const Dictionary& dictionary_;
  std::uint64_t offset_;
};

}  // namespace steno::reader
