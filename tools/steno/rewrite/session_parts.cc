#include "rewrite/session_parts.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "reader/session_order.h"

namespace steno::cli {

std::vector<std::vector<Part>> sessions_of(const reader::LogSet& logs, bool by_id) {
  std::unordered_map<const reader::Session*, std::vector<const reader::BlockEntry*>> blocks;
  for (const auto& file : logs.files()) {
    for (const reader::BlockEntry& block : file->blocks())
      blocks[file->sessions()[block.session].get()].push_back(&block);
  }
  std::vector<std::vector<Part>> sessions;
  std::unordered_map<std::uint64_t, std::size_t> index;
  for (const reader::SessionInFile& one : reader::sessions_in_order(logs)) {
    const bool joins = by_id && one.session->known;
    const auto [found, added] =
        joins ? index.try_emplace(one.session->info.session_id, sessions.size()) : std::pair(index.end(), true);
    if (added) sessions.emplace_back();
    sessions[added ? sessions.size() - 1 : found->second].push_back(
        {logs.files()[one.file].get(), one.session, std::move(blocks[one.session])});
  }
  return sessions;
}

Status ChosenBlocks::read(const Part& part, const reader::BlockEntry& entry, bool values) {
  const reader::LogFile& file = *part.file;
  keep_.assign(entry.records, 1);
  if (Status status = block_.decode_clocks(file, entry); !status.ok()) return status;
  if (Status status = block_.decode_order(); !status.ok()) return status;
  const bool may = rules_.filter == nullptr || rules_.filter->may_match(file, entry);
  wanted_.assign(block_.groups().size(), may ? 1 : 0);
  if (may && (values || rules_.filter != nullptr)) {
    if (Status status = block_.decode_columns(wanted_); !status.ok()) return status;
  }
  if (!may) {
    std::fill(keep_.begin(), keep_.end(), std::uint8_t{0});
  } else if (rules_.filter != nullptr) {
    if (Status status = rules_.filter->select(block_, keep_); !status.ok()) return status;
  }
  return {};
}

void ChosenBlocks::note_failure(const reader::LogFile& file, const reader::BlockEntry& entry, const Status& status) {
  auto failure = reader::failure_of(file, entry, status);
  if (!failure) return;
  const auto same = [&](const reader::DecodeFailure& other) {
    return other.file == failure->file && other.damage.offset == failure->damage.offset;
  };
  if (std::none_of(copied_.failures.begin(), copied_.failures.end(), same)) copied_.failures.push_back(*failure);
}

}  // namespace steno::cli
