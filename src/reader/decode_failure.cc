#include "reader/decode_failure.h"

#include <algorithm>

namespace steno::reader {

std::optional<DecodeFailure> failure_of(const LogFile& file, const BlockEntry& entry, const Status& why) {
  if (file.is_damaged(entry)) return {};
  return DecodeFailure{&file,
                       {DamageKind::kContent, entry.header_offset(), entry.total_size(),
                        why.message() + " (" + std::to_string(entry.records) + " records)"}};
}

void add_failures(std::span<const DecodeFailure> more, std::vector<DecodeFailure>* all) {
  for (const DecodeFailure& one : more) {
    const bool is_known = std::any_of(all->begin(), all->end(), [&](const DecodeFailure& known) {
      return known.file == one.file && known.damage.offset == one.damage.offset;
    });
    if (!is_known) all->push_back(one);
  }
}

}  // namespace steno::reader
