#include "reader/file_index.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/read_advice.h"
#include "format/session_block.h"

namespace steno::reader {
namespace {

using format::BlockHeader;
using format::BlockType;
using format::IndexBlock;
using format::kBlockHeaderSize;

constexpr std::uint64_t kReadAhead = std::uint64_t{1} << 20;

// Read from afar in the hope that a whole index block lies there: of a session block and an index, and of the file's
// end.
constexpr std::uint64_t kHead = std::uint64_t{1} << 13;
constexpr std::uint64_t kTail = std::uint64_t{1} << 15;

// The bytes that are read first of an index block and of the session block that it names: most are smaller.
constexpr std::uint64_t kIndexAhead = std::uint64_t{1} << 14;
constexpr std::uint64_t kSessionAhead = std::uint64_t{1} << 11;

// Writers leave an index every 64 MiB, and before the end of a session.
constexpr std::uint64_t kFar = std::uint64_t{160} << 20;

class Finder {
 public:
  explicit Finder(const FileBytes& source) : source_(source), file_(source.all()) {}

  std::vector<FilePart> run() {
    if (source_.is_remote()) {
      const std::uint64_t tail = std::min(kTail, file_.size());
      source_.load({{0, std::min(kHead, file_.size())}, {file_.size() - tail, tail}});
    }
    std::vector<FilePart> parts;  // from the end to the start
    std::uint64_t end = file_.size();
    while (end != 0) {
      auto index = last_before(end);
      if (!index) break;
      parts.push_back({index->offset, end, {}, {}});
      end = index->begin;
      while (index) {
        const std::uint64_t begin = index->begin;
        fetch_earlier(index->earlier);
        parts.push_back({begin, index->offset, std::move(index), tag_});
        end = begin;
        // One index goes on where the one before it lies.
        index = at(begin);
      }
    }
    if (end != 0) parts.push_back({0, end, {}, {}});
    std::reverse(parts.begin(), parts.end());
    return parts;
  }

 private:
  // Index blocks at these places, if there are any, and then the session blocks that they name: each at once.
  void fetch_earlier(const std::vector<std::uint64_t>& places) const {
    if (!source_.is_remote()) return;
    std::vector<FileBytes::Piece> pieces;
    for (const std::uint64_t place : places)
      if (place % 8 == 0 && place < file_.size()) pieces.push_back(piece_at(place, kIndexAhead));
    source_.load(pieces);
    std::vector<FileBytes::Piece> named;
    for (const FileBytes::Piece& piece : pieces) {
      BlockHeader header;
      IndexBlock head;
      const auto bytes = file_.subspan(piece.offset, piece.size);
      if (!format::parse_header(bytes.data(), bytes.size(), &header) || header.type != BlockType::kIndex ||
          !format::peek_index_block(bytes.subspan(kBlockHeaderSize), &head)) {
        continue;
      }
      named.push_back(piece_at(piece.offset, std::min(kBlockHeaderSize + std::uint64_t{header.length}, kReadAhead)));
      if (head.session_offset < file_.size()) named.push_back(piece_at(head.session_offset, kSessionAhead));
    }
    source_.load(named);
  }

  FileBytes::Piece piece_at(std::uint64_t offset, std::uint64_t size) const {
    return {offset, std::min(size, file_.size() - offset)};
  }

  std::optional<IndexBlock> last_before(std::uint64_t end) {
    if (end < kBlockHeaderSize) return {};
    const std::uint64_t least = end > kFar ? end - kFar : 0;
    std::uint64_t read = end;
    std::uint64_t ahead = source_.is_remote() ? kTail : kReadAhead;  // a little first, of which each byte takes time
    for (std::uint64_t offset = (end - kBlockHeaderSize) / 8 * 8;; offset -= 8) {
      if (offset < read) {
        const std::uint64_t size = std::min(ahead, read);
        ahead = std::min(8 * ahead, kReadAhead);
        read -= size;
        source_.load(read, size);
        if (!source_.is_copied()) read_soon(file_.subspan(read, size));
      }
      if (load<std::uint32_t>(file_.data() + offset) == format::kBlockMagic) {
        if (auto index = at(offset)) return index;
      }
      if (offset < least + 8) return {};
    }
  }

  std::optional<IndexBlock> at(std::uint64_t offset) {
    BlockHeader header;
    if (!header_at(offset, BlockType::kIndex, &header)) return {};
    const auto payload = file_.subspan(offset + kBlockHeaderSize, header.length);
    IndexBlock head;
    if (!format::peek_index_block(payload, &head) || head.offset != offset || head.begin >= offset ||
        head.begin % 8 != 0 || !session_at(head.session_offset, head.session_id) || header.length > budget_) {
      return {};
    }
    budget_ -= header.length;
    tag_ = format::session_tag(session_id_, session_version_);
    if (!format::checksum_holds(file_.data() + offset, header, tag_.mark)) return {};
    auto index = format::parse_index_block(payload);
    if (!index.ok()) return {};
    return std::move(index).value();
  }

  // Returns whether a block of that type is at `offset`; if so, its bytes have been loaded.
  bool header_at(std::uint64_t offset, BlockType type, BlockHeader* header) const {
    if (offset % 8 != 0 || offset >= file_.size()) return false;
    const std::uint64_t ahead =
        source_.is_remote() ? (type == BlockType::kIndex ? kIndexAhead : kSessionAhead) : kBlockHeaderSize;
    source_.load(offset, std::min<std::uint64_t>(ahead, file_.size() - offset));
    if (!format::parse_header(file_.data() + offset, file_.size() - offset, header) || header->type != type ||
        kBlockHeaderSize + std::uint64_t{header->length} > file_.size() - offset || header->length > budget_) {
      return false;
    }
    source_.load(offset, kBlockHeaderSize + header->length);
    return true;
  }

  bool session_at(std::uint64_t offset, std::uint64_t id) {
    if (known_session_ && session_offset_ == offset) return session_id_ == id;
    BlockHeader header;
    if (!header_at(offset, BlockType::kSession, &header)) return false;
    budget_ -= header.length;
    const auto session = format::parse_session_block(file_.subspan(offset + kBlockHeaderSize, header.length));
    if (!session.ok() || session.value().session_id != id) return false;
    const format::SessionTag tag = format::session_tag(id, session.value().version);
    if (tag.tag != header.session_tag || !format::checksum_holds(file_.data() + offset, header, tag.mark)) return false;
    session_version_ = session.value().version;
    known_session_ = true;
    session_offset_ = offset;
    session_id_ = id;
    return true;
  }

  const FileBytes& source_;
  std::span<const std::uint8_t> file_;                   // what was loaded of it
  std::uint64_t budget_ = 2 * kFar + file_.size() / 16;  // bytes to hash: a hostile file has many that pose as an index
  bool known_session_ = false;                           // the one that was asked for last
  std::uint64_t session_offset_ = 0;
  std::uint64_t session_id_ = 0;
  std::uint32_t session_version_ = 0;
  format::SessionTag tag_;  // of the index that was found last
};

}  // namespace

std::vector<FilePart> find_parts(const FileBytes& file) {
  return Finder(file).run();
}

}  // namespace steno::reader
