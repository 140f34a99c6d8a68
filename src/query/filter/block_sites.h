// Answers about a block's records by statement before it is touched: from its entry, where the file knows how
// many records of which statement the block has (LogFile::sites_of).
//
// Everywhere here verdict(site) tells how many of a statement's records in the block are wanted.
#pragma once

#include <algorithm>
#include <cstdint>

#include "query/filter/evaluate.h"
#include "query/filter/statement.h"

namespace steno::query {

inline const reader::Site& site_of(const reader::LogFile& file, const reader::BlockEntry& entry, std::uint32_t site) {
  return *file.sessions()[entry.session]->dictionary.site(site, entry.offset);
}

// kNone for a site that is not of `statement` (nullptr: all are), else what verdict_of_entry() says of the predicate
// (nullptr: no condition).
inline Verdict site_verdict(const Statement* statement, const Predicate* predicate, const reader::LogFile& file,
                            const reader::BlockEntry& entry, const reader::Site& site) {
  if (statement != nullptr && !statement->has(site)) return Verdict::kNone;
  return predicate != nullptr ? verdict_of_entry(*predicate->of(site), file, entry) : Verdict::kAll;
}

// False: no record of the block is wanted. True where the statements are not known.
template <class OfSite>
bool may_have(const reader::LogFile& file, const reader::BlockEntry& entry, const OfSite& verdict) {
  const auto sites = file.sites_of(entry);
  return sites.empty() || std::any_of(sites.begin(), sites.end(), [&](const format::SiteCount& count) {
           return verdict(site_of(file, entry, count.site)) != Verdict::kNone;
         });
}

// At most so many records of the block are wanted.
template <class OfSite>
std::uint64_t most_wanted(const reader::LogFile& file, const reader::BlockEntry& entry, const OfSite& verdict) {
  const auto sites = file.sites_of(entry);
  if (sites.empty()) return entry.records;
  std::uint64_t records = 0;
  for (const format::SiteCount& count : sites) {
    if (verdict(site_of(file, entry, count.site)) != Verdict::kNone) records += count.records;
  }
  return records;
}

// Returns whether the statements of the block are known, and nothing speaks against counting by them: damage that was
// met, records that another run has as well.
bool has_known_counts(const reader::LogFile& file, const reader::BlockEntry& entry);

// Calls add(site, records) for each statement whose records are wanted, all of them. False, and nothing is called: that
// takes a look at the block. Damage that nobody has met yet stays unseen.
template <class OfSite, class Add>
bool count_by_sites(const reader::LogFile& file, const reader::BlockEntry& entry, const OfSite& verdict,
                    const Add& add) {
  if (!has_known_counts(file, entry)) return false;
  const auto sites = file.sites_of(entry);
  const auto is_open = [&](const format::SiteCount& count) {
    return verdict(site_of(file, entry, count.site)) == Verdict::kSome;
  };
  if (std::any_of(sites.begin(), sites.end(), is_open)) return false;
  for (const format::SiteCount& count : sites) {
    const reader::Site& site = site_of(file, entry, count.site);
    if (verdict(site) == Verdict::kAll) add(site, count.records);
  }
  return true;
}

}  // namespace steno::query
