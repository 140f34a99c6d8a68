// A block that turned out to be unreadable while it was decoded.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "reader/log_file.h"

namespace steno::reader {

struct DecodeFailure {
  const LogFile* file = nullptr;
  Damage damage;
};

// That `entry` cannot be decoded, and why. Nothing if find_losses() reports the block anyway.
std::optional<DecodeFailure> failure_of(const LogFile& file, const BlockEntry& entry, const Status& why);
// Adds those that are not among `all` yet: a block that is read twice fails twice.
void add_failures(std::span<const DecodeFailure> more, std::vector<DecodeFailure>* all);

}  // namespace steno::reader
