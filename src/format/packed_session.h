// Packed sessions (file.md §15): all blocks of a short session in one, as what differs from another session of the
// file.
//
//   append_bare(blocks, bare)                          what the blocks say, without what their headers repeat
//   append_model(out, session_id, bare)                a block that others refer to
//   append_packed_session(out, session_id, bare, model)
//
//   parse_packed_session(payload)                      and back
//   unpack(packed, model, &bare)
//   append_blocks(bare, session_id, &blocks)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "format/block.h"
#include "steno/status.h"

namespace steno::format {

// Bytes of a session's bare blocks; of a packed one also no more than so many times its block's payload.
inline constexpr std::size_t kMostBare = std::size_t{1} << 16;
inline constexpr std::size_t kMostUnpacking = 32;
inline constexpr unsigned kMostBlocks = 64;  // of a packed session: each takes more than it says

// Whole blocks of one session, from its session block on, with nothing after its end block. Appends what they say.
// False, and nothing appended: they cannot be packed.
[[nodiscard]] bool append_bare(std::span<const std::uint8_t> blocks, ByteBuffer& out);
// Says in the session block at their beginning that the file may have packed sessions, so that readers that do not know
// them refuse it. False: there is none.
[[nodiscard]] bool raise_version(ByteBuffer* blocks);
// The blocks again, byte for byte. kCorrupt: these are none, or not those of one session.
[[nodiscard]] Status append_blocks(std::span<const std::uint8_t> bare, std::uint64_t session_id, ByteBuffer* out);

// The number by which others refer to a model; never 0.
std::uint32_t model_number(std::span<const std::uint8_t> bare);

struct PackedSession {
  std::uint64_t session_id = 0;
  std::uint32_t model = 0;  // 0: none, it may be one
  std::span<const std::uint8_t> content;

  bool is_model() const { return model == 0; }
};

// The session as it is: a copy of one whose blocks are in the file.
void append_model(ByteBuffer& out, std::uint64_t session_id, std::span<const std::uint8_t> bare);
// False, and nothing appended: readers would not take it, because there is too much of the model in it.
// Cost: some microseconds.
[[nodiscard]] bool append_packed_session(ByteBuffer& out, std::uint64_t session_id, std::span<const std::uint8_t> bare,
                                         std::span<const std::uint8_t> model);
[[nodiscard]] Result<PackedSession> parse_packed_session(std::span<const std::uint8_t> payload);
// `model`: the bare blocks of the model, if it has one. Appends at most kMostBare bytes. kCorrupt: it makes no sense.
[[nodiscard]] Status unpack(const PackedSession& packed, std::span<const std::uint8_t> model, ByteBuffer* bare);

}  // namespace steno::format
