#include "reader/statistics.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace steno::reader {
namespace {

// A session that is not known has no number that another file could share.
class WriterCount {
 public:
  void take(const LogFile& file, const Session& session) {
    std::unordered_set<std::uint32_t>& threads =
        session.known ? by_id_[session.info.session_id] : unknown_.emplace_back();
    for (const RingEntry& ring : session.rings) {
      for (const std::uint64_t run : ring.runs) threads.insert(file.runs()[run].thread);
    }
  }
  std::uint64_t sessions() const { return by_id_.size() + unknown_.size(); }
  std::uint64_t threads() const {
    std::uint64_t threads = 0;
    for (const auto& [id, of_session] : by_id_) threads += of_session.size();
    for (const auto& of_session : unknown_) threads += of_session.size();
    return threads;
  }

 private:
  std::unordered_map<std::uint64_t, std::unordered_set<std::uint32_t>> by_id_;
  std::vector<std::unordered_set<std::uint32_t>> unknown_;
};

class Collector {
 public:
  Collector() {
    stats_.order.name = "order";
    stats_.clock.name = "clock";
  }

  void take(const LogFile& file, WorkMeter* meter) {
    file_ = &file;
    file.check_blocks(meter);
    if (meter != nullptr) meter->add_total(records_on_file(file));
    for (const BlockEntry& entry : file.blocks()) {
      take_block(entry);
      if (meter != nullptr) meter->add_done(entry.records);
    }
    for (const auto& session : file.sessions()) take_session(*session);
  }

  Statistics finish() {
    stats_.threads = writers_.threads();
    stats_.sites.reserve(sites_.size());
    for (auto& [id, of_site] : sites_) stats_.sites.push_back(std::move(of_site.stat));
    std::sort(stats_.sites.begin(), stats_.sites.end(), [](const SiteStat& a, const SiteStat& b) {
      return a.records != b.records ? a.records > b.records : a.site->ordinal() < b.site->ordinal();
    });
    return std::move(stats_);
  }

 private:
  // In which block a column was met last, and which codec it had there.
  struct LastCodec {
    std::uint64_t block = 0;
    const char* codec = nullptr;
    std::uint64_t* blocks = nullptr;  // with that codec
  };
  struct OfSite {
    SiteStat stat;
    std::vector<LastCodec> last;  // by column
  };

  // A site of one session, and where its columns are in the statement's.
  struct BySite {
    OfSite* of = nullptr;
    std::vector<std::uint32_t> columns;
  };

  void take_block(const BlockEntry& entry) {
    const auto data = file_->open_block(entry);
    if (!data.ok()) return;
    counted_.clear();
    ++stats_.data_blocks;
    stats_.quick_blocks += file_->header_of(entry).is_quick() ? 1 : 0;
    const std::vector<std::uint32_t> kept = count_kept(entry, *data);
    const bool in_file = !file_->is_unpacked(entry.offset);
    const auto of_file = [in_file](format::DataBlock::ColumnInfo info) {
      if (!in_file) info.bytes = 0;  // the file has them packed
      return info;
    };
    add(of_file(data->order_info()), &stats_.order, &last_order_);
    add(of_file(data->clock_info()), &stats_.clock, &last_clock_);
    const Dictionary& dictionary = file_->sessions()[entry.session]->dictionary;
    for (std::size_t g = 0; g < data->groups().size(); ++g) {
      const auto& group = data->groups()[g];
      const Site* site = dictionary.site(group.site, entry.offset);
      stats_.records += kept[g];
      stats_.repeated += group.records - kept[g];
      if (site->known()) stats_.by_level[static_cast<std::size_t>(site->info().level)] += kept[g];
      const BySite& known = of(*site);
      OfSite& of_site = *known.of;
      SiteStat& stat = of_site.stat;
      stat.records += kept[g];
      for (std::uint32_t c = 0; c < group.columns && c < known.columns.size(); ++c) {
        const auto info = of_file(data->column_info(g, c));
        add(info, &stat.columns[known.columns[c]], &of_site.last[known.columns[c]]);
        stat.bytes += info.bytes;
        stats_.argument_bytes += info.bytes;
      }
    }
  }

  // The records of each group that are not in an earlier block, or another file, as well.
  std::vector<std::uint32_t> count_kept(const BlockEntry& entry, const format::DataBlock& data) const {
    std::vector<std::uint32_t> kept(data.groups().size());
    for (std::size_t g = 0; g < kept.size(); ++g) kept[g] = data.groups()[g].records;
    const auto runs = std::span(file_->runs()).subspan(entry.first_run, entry.runs);
    std::uint64_t repeated = 0;
    for (const RunEntry& run : runs) repeated += run.repeated;
    if (repeated == 0) return kept;
    RawVector<std::uint32_t> order;
    if (repeated == entry.records || !data.decode_order(&order).ok()) return std::vector<std::uint32_t>(kept.size());
    for (const RunEntry& run : runs) {
      for (std::uint32_t i = run.start; i < run.start + run.repeated; ++i) --kept[order[i]];
    }
    return kept;
  }

  // A block counts once, though it may have several groups of a statement: one for each logger.
  void add(const format::DataBlock::ColumnInfo& info, ColumnStat* column, LastCodec* last) {
    column->bytes += info.bytes;
    const bool again = last->block == stats_.data_blocks;
    if (last->codec != info.codec) {
      if (again) counted_.emplace(column, last->codec);
      *last = {0, info.codec, &column->codecs[info.codec]};
      if (again && !counted_.emplace(column, info.codec).second) {
        last->block = stats_.data_blocks;
        return;
      }
    } else if (again) {
      return;
    }
    last->block = stats_.data_blocks;
    ++*last->blocks;
  }

  const BySite& of(const Site& site) {
    if (site.ordinal() >= by_ordinal_.size()) by_ordinal_.resize(site.ordinal() + 1);
    BySite& found = by_ordinal_[site.ordinal()];
    if (found.of != nullptr) return found;
    found.of = &sites_[site.known() ? site.info().stable_id : site.ordinal()];
    if (found.of->stat.site == nullptr) found.of->stat.site = &site;
    add_columns(site, &found);
    return found;
  }

  // Those of the statement are of the same names wherever it is; which fields of context it has differs.
  static void add_columns(const Site& site, BySite* known) {
    std::vector<ColumnStat>& columns = known->of->stat.columns;
    for (std::size_t c = 0; c < site.argument_names().size(); ++c) {
      const std::string& name = site.argument_names()[c];
      const char type = site.info().types[c];
      const auto found = std::find_if(columns.begin(), columns.end(), [&](const ColumnStat& column) {
        return column.name == name && column.type == type;
      });
      known->columns.push_back(static_cast<std::uint32_t>(found - columns.begin()));
      if (found != columns.end()) continue;
      columns.emplace_back();
      columns.back().name = name;
      columns.back().type = type;
    }
    known->of->last.resize(columns.size());
  }

  void take_session(const Session& session) {
    writers_.take(*file_, session);
    if (session.min_clock > session.max_clock) return;
    const std::int64_t first = session.clock.wall(session.min_clock);
    const std::int64_t last = session.clock.wall(session.max_clock);
    stats_.first_wall = stats_.has_time ? std::min(stats_.first_wall, first) : first;
    stats_.last_wall = stats_.has_time ? std::max(stats_.last_wall, last) : last;
    stats_.has_time = true;
  }

  const LogFile* file_ = nullptr;
  Statistics stats_;
  WriterCount writers_;
  std::set<std::pair<const ColumnStat*, std::string_view>> counted_;  // in this block, of columns with several codecs
  LastCodec last_order_;
  LastCodec last_clock_;
  std::unordered_map<std::uint64_t, OfSite> sites_;  // by stable_id
  std::vector<BySite> by_ordinal_;
};

}  // namespace

Statistics collect_statistics(const LogFile& file, WorkMeter* meter) {
  Collector collector;
  collector.take(file, meter);
  return collector.finish();
}

Statistics collect_statistics(Files files, WorkMeter* meter) {
  Collector collector;
  for (const auto& file : files) collector.take(*file, meter);
  return collector.finish();
}

Writers count_writers(Files files) {
  WriterCount count;
  for (const auto& file : files) {
    for (const auto& session : file->sessions()) count.take(*file, *session);
  }
  return {count.sessions(), count.threads()};
}

}  // namespace steno::reader
