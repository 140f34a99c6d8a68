#include "reader/decode_failure.h"

namespace steno::reader {

std::optional<DecodeFailure> failure_of(const LogFile& file, const BlockEntry& entry, const Status& why) {
  if (file.is_damaged(entry)) return {};
  return DecodeFailure{&file,
                       {DamageKind::kContent, entry.header_offset(), entry.total_size(),
                        why.message() + " (" + std::to_string(entry.records) + " records)"}};
}

}  // namespace steno::reader
