#include "format/packed_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/checksum.h"
#include "format/session_block.h"

namespace steno::format {
namespace {

constexpr std::size_t kIdAt = 8;  // in the payload of a session block
constexpr std::size_t kIdEnd = kIdAt + 8;
constexpr std::size_t kContentAt = 12;  // in the payload of a packed session

// A step: so many bytes as they are, then so many of the model.
constexpr unsigned kMostLiterals = 15;    // more: in a varint
constexpr unsigned kMostCopied = 7;       // likewise
constexpr std::uint8_t kMoves = 0x80;     // the copy is not of where the last one would go on
constexpr std::size_t kLeastInPlace = 3;  // bytes worth a copy that goes on in place
constexpr std::size_t kLeastElsewhere = 6;
constexpr int kMostTries = 16;  // places of the model that begin alike

Status bad(const char* what) {
  return {StatusCode::kCorrupt, what};
}

bool may_be_packed(BlockType type) {
  switch (type) {
    case BlockType::kDictionary:
    case BlockType::kColumns:
    case BlockType::kRows:
    case BlockType::kClock:
    case BlockType::kStrings:
    case BlockType::kProtocol:
    case BlockType::kEnd:
      return true;
    default:
      return false;
  }
}

std::size_t common(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  const std::size_t size = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(size), b.begin()).first - a.begin());
}

// Finds where four bytes occur in the model: keeps the last such place, and from each the one before it.
class Places {
 public:
  explicit Places(std::span<const std::uint8_t> model) : model_(model), before_(model.size(), -1) {
    last_.fill(-1);
    for (std::size_t i = 0; i + 4 <= model.size(); ++i) {
      std::int32_t& last = last_[hash(model.data() + i)];
      before_[i] = last;
      last = static_cast<std::int32_t>(i);
    }
  }

  // The place with the most bytes of `rest` in common.
  std::size_t best(std::span<const std::uint8_t> rest, std::size_t* length) const {
    std::size_t at = 0;
    *length = 0;
    if (rest.size() < 4) return at;
    std::int32_t place = last_[hash(rest.data())];
    for (int i = 0; i < kMostTries && place >= 0; ++i, place = before_[static_cast<std::size_t>(place)]) {
      const std::size_t same = common(model_.subspan(static_cast<std::size_t>(place)), rest);
      if (same <= *length) continue;
      *length = same;
      at = static_cast<std::size_t>(place);
    }
    return at;
  }

 private:
  static std::size_t hash(const std::uint8_t* p) { return load<std::uint32_t>(p) * 2654435761u >> 20; }

  std::span<const std::uint8_t> model_;
  std::array<std::int32_t, std::size_t{1} << 12> last_{};
  std::vector<std::int32_t> before_;
};

void append_step(std::span<const std::uint8_t> literals, std::size_t copied, std::int64_t move, ByteBuffer& out) {
  const auto n = static_cast<std::uint8_t>(std::min<std::size_t>(literals.size(), kMostLiterals));
  const auto c = static_cast<std::uint8_t>(std::min<std::size_t>(copied, kMostCopied));
  out.put(static_cast<std::uint8_t>(n | c << 4 | (move != 0 ? kMoves : 0)));
  if (n == kMostLiterals) out.put_varint(literals.size() - kMostLiterals);
  if (c == kMostCopied) out.put_varint(copied - kMostCopied);
  if (move != 0) out.put_signed_varint(move);
  out.put_bytes(literals.data(), literals.size());
}

void append_steps(std::span<const std::uint8_t> bare, std::span<const std::uint8_t> model, ByteBuffer& out) {
  const Places places(model);
  std::size_t done = 0;
  std::size_t place = 0;  // in the model, after what was copied last
  for (std::size_t i = 0; i < bare.size();) {
    const std::size_t here = place + (i - done);
    const std::size_t in_place = here < model.size() ? common(model.subspan(here), bare.subspan(i)) : 0;
    std::size_t length = 0;
    std::size_t from = places.best(bare.subspan(i), &length);
    const bool elsewhere = length >= std::max(kLeastElsewhere, in_place + 3);
    if (!elsewhere && in_place < kLeastInPlace) {
      ++i;
      continue;
    }
    if (!elsewhere) {
      from = here;
      length = in_place;
    }
    append_step(bare.subspan(done, i - done), length, static_cast<std::int64_t>(from) - static_cast<std::int64_t>(here),
                out);
    i += length;
    done = i;
    place = from + length;
  }
  if (done < bare.size()) append_step(bare.subspan(done), 0, 0, out);
}

std::size_t begin_packed(ByteBuffer& out, std::uint64_t session_id, std::uint32_t model, std::uint8_t flags) {
  const std::size_t start = begin_block(out, BlockType::kPacked, session_tag(session_id), flags);
  out.put(session_id);
  out.put(model);
  return start;
}

}  // namespace

bool append_bare(std::span<const std::uint8_t> blocks, ByteBuffer& out) {
  const std::size_t begin = out.size();
  SessionTag tag;
  bool ended = false;
  unsigned count = 0;
  bool sound = !blocks.empty();
  for (std::size_t at = 0; sound && at < blocks.size();) {
    BlockHeader header;
    sound = !ended && ++count <= kMostBlocks && parse_header(blocks.data() + at, blocks.size() - at, &header) &&
            header.total_size() <= blocks.size() - at && header.flags == 0;
    if (!sound) break;
    const std::size_t payload = at + kBlockHeaderSize;
    const SessionTag own = {header.session_tag, mark_of(blocks.data() + at, header)};
    if (at == 0) {
      tag = own;
      sound = header.type == BlockType::kSession && header.length >= kIdEnd &&
              session_tag(load<std::uint64_t>(blocks.data() + payload + kIdAt)) == tag;
    } else {
      sound = may_be_packed(header.type) && own == tag;
    }
    out.put(static_cast<std::uint8_t>(header.type));
    out.put_varint(header.length);
    out.put_bytes(blocks.data() + payload, header.length);
    if (at == 0 && sound) std::memset(out.data() + out.size() - header.length + kIdAt, 0, kIdEnd - kIdAt);
    ended = header.type == BlockType::kEnd;
    at += header.total_size();
  }
  if (sound && ended && out.size() - begin <= kMostBare) return true;
  out.truncate(begin);
  return false;
}

bool raise_version(ByteBuffer* blocks) {
  BlockHeader header;
  if (!parse_header(blocks->data(), blocks->size(), &header) || header.type != BlockType::kSession ||
      header.length < kIdEnd || header.total_size() > blocks->size()) {
    return false;
  }
  const std::uint8_t* const payload = blocks->data() + kBlockHeaderSize;
  ByteBuffer raised;
  const std::size_t start =
      begin_block(raised, BlockType::kSession, session_tag(load<std::uint64_t>(payload + kIdAt)), header.flags);
  raised.put(kNewestVersion);
  raised.put_bytes(payload + sizeof kNewestVersion, header.length - sizeof kNewestVersion);
  end_block(raised, start);
  std::memcpy(blocks->data(), raised.data(), raised.size());
  return true;
}

Status append_blocks(std::span<const std::uint8_t> bare, std::uint64_t session_id, ByteBuffer* out) {
  const SessionTag tag = session_tag(session_id);
  ByteReader in(bare.data(), bare.size());
  unsigned count = 0;
  bool ended = false;
  while (!in.at_end()) {
    const auto type = static_cast<BlockType>(in.get<std::uint8_t>());
    const std::uint64_t length = in.get_varint();
    const std::uint8_t* const payload = in.take(length);
    const bool first = count++ == 0;
    if (payload == nullptr || ended) return bad("a packed session with a block that is none");
    if (count > kMostBlocks) return bad("a packed session of too many blocks");
    if (first ? type != BlockType::kSession || length < kIdEnd : !may_be_packed(type)) {
      return bad("a packed session with a block that cannot be there");
    }
    const std::size_t start = begin_block(*out, type, tag);
    out->put_bytes(payload, length);
    if (first) store(out->data() + start + kBlockHeaderSize + kIdAt, session_id);
    end_block(*out, start);
    ended = type == BlockType::kEnd;
  }
  return ended ? Status() : bad("a packed session without an end");
}

std::uint32_t model_number(std::span<const std::uint8_t> bare) {
  const auto number = static_cast<std::uint32_t>(xxh3(bare.data(), bare.size()));
  return number != 0 ? number : 1;
}

void append_model(ByteBuffer& out, std::uint64_t session_id, std::span<const std::uint8_t> bare) {
  const std::size_t start = begin_packed(out, session_id, 0, kCopyFlag);
  out.put_bytes(bare.data(), bare.size());
  end_block(out, start);
}

bool append_packed_session(ByteBuffer& out, std::uint64_t session_id, std::span<const std::uint8_t> bare,
                           std::span<const std::uint8_t> model) {
  const std::size_t start = begin_packed(out, session_id, model_number(model), 0);
  out.put_varint(bare.size());
  append_steps(bare, model, out);
  if (bare.size() > kMostBare || bare.size() > kMostUnpacking * (out.size() - start - kBlockHeaderSize)) {
    out.truncate(start);
    return false;
  }
  end_block(out, start);
  return true;
}

Result<PackedSession> parse_packed_session(std::span<const std::uint8_t> payload) {
  if (payload.size() < kContentAt) return bad("a packed session that ends too early");
  PackedSession packed;
  packed.session_id = load<std::uint64_t>(payload.data());
  packed.model = load<std::uint32_t>(payload.data() + 8);
  packed.content = payload.subspan(kContentAt);
  if (packed.is_model() && packed.content.size() > kMostBare) return bad("a packed session that is too large");
  return packed;
}

Status unpack(const PackedSession& packed, std::span<const std::uint8_t> model, ByteBuffer* bare) {
  if (packed.is_model()) {
    bare->put_bytes(packed.content.data(), packed.content.size());
    return {};
  }
  ByteReader in(packed.content.data(), packed.content.size());
  const std::uint64_t size = in.get_varint();
  if (!in.ok() || size > kMostBare || size > kMostUnpacking * (kContentAt + packed.content.size())) {
    return bad("a packed session of impossible size");
  }
  const std::size_t begin = bare->size();
  const auto model_size = static_cast<std::int64_t>(model.size());
  std::int64_t place = 0;
  while (!in.at_end()) {
    const auto step = in.get<std::uint8_t>();
    std::uint64_t literals = step & kMostLiterals;
    std::uint64_t copied = step >> 4 & kMostCopied;
    if (literals == kMostLiterals) literals += std::min<std::uint64_t>(in.get_varint(), kMostBare);
    if (copied == kMostCopied) copied += std::min<std::uint64_t>(in.get_varint(), kMostBare);
    const std::int64_t move = (step & kMoves) != 0 ? in.get_signed_varint() : 0;
    const std::uint8_t* const bytes = in.take(literals);
    if (bytes == nullptr || literals + copied > size - (bare->size() - begin))
      return bad("a packed session that is too long");
    bare->put_bytes(bytes, literals);
    place += static_cast<std::int64_t>(literals);
    if (copied == 0) continue;
    if (move < -place || move > model_size - place) return bad("a packed session beyond its model");
    place += move;
    if (static_cast<std::int64_t>(copied) > model_size - place) return bad("a packed session beyond its model");
    bare->put_bytes(model.data() + place, copied);
    place += static_cast<std::int64_t>(copied);
  }
  return bare->size() - begin == size ? Status() : bad("a packed session that is too short");
}

}  // namespace steno::format
