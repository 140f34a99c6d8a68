// BatchSource and blocks whose statements are known: it passes over those without a wanted one, and counts
// the rows of those that need not be opened.
#include <algorithm>

#include "arrow/batch_source.h"

namespace steno::arrow {

// Returns the verdict for all records of a statement in a block, without a look at it.
query::Verdict BatchSource::verdict_of(const reader::LogFile& file, const reader::BlockEntry& entry,
                                       const reader::Site& site) const {
  return query::site_verdict(statement_ ? &*statement_ : nullptr, predicates_[choice_of(site)].get(), file, entry,
                             site);
}

Result<BatchEstimate> BatchSource::estimate() {
  if (auto schema = one_schema(); !schema.ok()) return schema.status();
  BatchEstimate all;
  for (std::uint32_t f = 0; f < logs_.files().size(); ++f) {
    const reader::LogFile& file = *logs_.files()[f];
    for (std::uint32_t b = 0; b < file.blocks().size(); ++b) {
      if (!blocks_.is_wanted({f, b})) continue;
      const reader::BlockEntry& entry = file.blocks()[b];
      ++all.blocks;
      all.bytes += entry.total_size();
      all.rows +=
          query::most_wanted(file, entry, [&](const reader::Site& site) { return verdict_of(file, entry, site); });
      std::vector<query::ViewGroup> groups;
      if (!count_block(file, entry, &groups)) all.opened_bytes += entry.total_size();
    }
  }
  return all;
}

// Counts the rows of a block, by statement, where the file knows them and the columns depend on statement and session
// alone. False: the block has to be opened.
bool BatchSource::count_block(const reader::LogFile& file, const reader::BlockEntry& entry,
                              std::vector<query::ViewGroup>* groups) {
  if (has_ranges_ || (is_log() && !is_told(*one_schema_))) return false;
  const auto add = [&](const reader::Site& site, std::uint32_t records) {
    if (is_log() && !groups->empty()) {
      groups->back().records += records;
    } else {
      groups->push_back({.site = &site, .records = records});
    }
  };
  const auto is_whole = [this](const query::ViewGroup& group) { return is_log() || is_told(*fields_of(*group.site)); };
  const auto verdict = [&](const reader::Site& site) { return verdict_of(file, entry, site); };
  return query::count_by_sites(file, entry, verdict, add) && std::all_of(groups->begin(), groups->end(), is_whole);
}

// Takes the next block, if it need not be opened.
bool BatchSource::take_counted() {
  query::BlockRef ref;
  if (!blocks_.peek(&ref)) return false;
  const reader::LogFile& file = *logs_.files()[ref.file];
  const reader::BlockEntry& entry = file.blocks()[ref.block];
  counted_.clear();
  next_counted_ = 0;
  if (!count_block(file, entry, &counted_)) {
    counted_.clear();
    return false;
  }
  blocks_.pass();
  view_.name(file, entry);
  session_ = first_session_[ref.file] + entry.session;
  return true;
}

// Returns whether statement and session tell all of these.
bool BatchSource::is_told(const Fields& fields) const {
  return std::all_of(fields.fields.begin(), fields.fields.end(), [this](const Field& field) {
    if (field.is_argument) return false;
    switch (field.common) {
      case Common::kSession:
      case Common::kPid:
      case Common::kProgram:
      case Common::kHost:
        return true;
      case Common::kSeverity:
      case Common::kLevel:
      case Common::kLine:
      case Common::kStableId:
      case Common::kFile:
      case Common::kFunction:
      case Common::kFormat:
        return !is_log();  // whose rows are in the order of the records
      default:
        return false;
    }
  });
}

// Selects the rows of the next group that was counted.
void BatchSource::select_counted() {
  group_ = &counted_[next_counted_++];
  site_ = is_log() ? nullptr : group_->site;
  fields_ = is_log() ? one_schema_ : fields_of(*group_->site);
  choice_ = choice_of(*group_->site);
  records_.assign(group_->records, 0);
}

}  // namespace steno::arrow
