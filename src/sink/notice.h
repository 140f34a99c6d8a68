// The line in place of lines that a sink skipped, which is printed in the sink's format as a record of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "sink/records.h"

namespace steno::sink {

inline constexpr std::uint32_t kNoticeId = UINT32_MAX;  // of its site and its thread: no program has as many

// Appends the dictionary's entries for it.
void declare_notice(ByteBuffer& out);
// One record: `lines` were skipped, at `ticks` of the session's clock.
std::shared_ptr<const Records> make_notice(std::uint64_t ticks, std::uint64_t lines, std::string_view reason);

}  // namespace steno::sink
