// Mutations of a file that keep its checksums: without them hardly an input would get past the scan. Inside a payload
// libFuzzer mutates as always; whole blocks are repeated, dropped, swapped, cut short and taken from other files.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "format/block.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace steno::fuzz {
namespace {

// A piece of a file: a block, or bytes that are none.
struct Piece {
  format::BlockHeader header;
  std::uint32_t mark = 0;
  bool is_block = false;
  std::vector<std::uint8_t> bytes;  // the payload of a block
};

std::vector<Piece> take_apart(const std::uint8_t* data, std::size_t size) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < size;) {
    Piece piece;
    const std::size_t left = size - at;
    if (format::parse_header(data + at, left, &piece.header) &&
        piece.header.length <= left - format::kBlockHeaderSize) {
      piece.is_block = true;
      piece.mark = format::mark_of(data + at, piece.header);
      const std::uint8_t* payload = data + at + format::kBlockHeaderSize;
      piece.bytes.assign(payload, payload + piece.header.length);
      at += std::min(left, piece.header.total_size());
      pieces.push_back(std::move(piece));
      continue;
    }
    const std::size_t step = std::min<std::size_t>(8, left);
    if (pieces.empty() || pieces.back().is_block) pieces.emplace_back();
    pieces.back().bytes.insert(pieces.back().bytes.end(), data + at, data + at + step);
    at += step;
  }
  return pieces;
}

std::size_t put_together(const std::vector<Piece>& pieces, std::uint8_t* data, std::size_t max_size) {
  ByteBuffer out;
  for (const Piece& piece : pieces) {
    if (!piece.is_block) {
      out.put_bytes(piece.bytes.data(), piece.bytes.size());
      continue;
    }
    const std::size_t start = format::begin_block(out, piece.header.type, {piece.header.session_tag, piece.mark});
    out.put_bytes(piece.bytes.data(), piece.bytes.size());
    format::end_block(out, start);
  }
  const std::size_t size = std::min(out.size(), max_size);
  if (size != 0) std::memcpy(data, out.data(), size);
  return size;
}

void mutate_bytes(Piece* piece, std::size_t room) {
  const std::size_t size = piece->bytes.size();
  piece->bytes.resize(size + room);
  piece->bytes.resize(LLVMFuzzerMutate(piece->bytes.data(), size, size + room));
}

}  // namespace
}  // namespace steno::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  using namespace steno::fuzz;
  std::minstd_rand random(seed);
  if (random() % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);  // plain damage
  std::vector<Piece> pieces = take_apart(data, size);
  if (pieces.empty()) return LLVMFuzzerMutate(data, size, max_size);
  const std::size_t i = random() % pieces.size();
  const std::size_t k = random() % pieces.size();
  switch (random() % 12) {
    case 0:
      pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(k), Piece(pieces[i]));
      break;
    case 1:
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    case 2:
      std::swap(pieces[i], pieces[k]);
      break;
    case 3:
      pieces[i].header.type = static_cast<steno::format::BlockType>(random() % 10);
      break;
    case 4:
      pieces[i].header.session_tag = pieces[k].header.session_tag;
      pieces[i].mark = pieces[k].mark;
      break;
    default:
      mutate_bytes(&pieces[i], max_size > size ? std::min<std::size_t>(max_size - size, 4096) : 0);
  }
  const std::size_t mutated = put_together(pieces, data, max_size);
  return mutated != 0 ? mutated : LLVMFuzzerMutate(data, size, max_size);  // an input of nothing is none
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                                 std::size_t b_size, std::uint8_t* out, std::size_t max_size,
                                                 unsigned seed) {
  using namespace steno::fuzz;
  std::minstd_rand random(seed);
  std::vector<Piece> pieces = take_apart(a, a_size);
  const std::vector<Piece> others = take_apart(b, b_size);
  if (pieces.empty() || others.empty()) return 0;
  const Piece& other = others[random() % others.size()];
  const std::size_t i = random() % pieces.size();
  if (random() % 2 == 0) {
    pieces[i] = other;
  } else {
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(i), other);
  }
  return put_together(pieces, out, max_size);
}
