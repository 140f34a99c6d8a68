#include "mutated_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace steno::test {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLeast = 64;  // a shorter file is none

}  // namespace

// The index of the piece that begins there, after the one around it was divided.
std::size_t MutatedFile::cut_at(std::size_t offset) {
  std::size_t i = 0;
  for (; offset != 0; ++i) {
    const std::string_view piece = pieces_[i];
    if (piece.size() > offset) {
      pieces_[i] = piece.substr(0, offset);
      pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(i) + 1, piece.substr(offset));
      return i + 1;
    }
    offset -= piece.size();
  }
  return i;
}

MutatedFile::Pieces MutatedFile::range(std::size_t begin, std::size_t size) {
  const std::size_t last = (cut_at(begin), cut_at(begin + size));
  return {pieces_.begin() + static_cast<std::ptrdiff_t>(cut_at(begin)),
          pieces_.begin() + static_cast<std::ptrdiff_t>(last)};
}

void MutatedFile::replace(std::size_t begin, std::size_t size, const Pieces& with) {
  cut_at(begin);
  const auto last = static_cast<std::ptrdiff_t>(cut_at(begin + size));
  const auto first = static_cast<std::ptrdiff_t>(cut_at(begin));
  pieces_.erase(pieces_.begin() + first, pieces_.begin() + last);
  pieces_.insert(pieces_.begin() + first, with.begin(), with.end());
}

std::string MutatedFile::mutate(unsigned kind, std::mt19937_64& random) {
  const std::size_t all = size();
  std::size_t at = random() % all;
  std::size_t other = random() % all;
  if (at > other) std::swap(at, other);
  const bool pages = random() % 4 == 0;
  if (pages) at = at / kPage * kPage;
  if (pages) other = other / kPage * kPage;
  std::size_t size = std::min({std::size_t{1} << random() % 17, all - other, std::max<std::size_t>(other - at, 1)});
  const std::string where = " at " + std::to_string(at);
  const std::string sized = std::to_string(size) + " bytes";
  switch (kind % 7) {
    case 0: {
      const unsigned bit = random() % 8;
      foreign_.emplace_back(1, static_cast<char>(range(at, 1)[0][0] ^ 1 << bit));
      replace(at, 1, {foreign_.back()});
      return "bit " + std::to_string(bit) + " flipped" + where;
    }
    case 1: {
      at = at / kPage * kPage;
      foreign_.emplace_back(std::min(kPage, all - at), '\0');
      replace(at, foreign_.back().size(), {foreign_.back()});
      return "page zeroed at " + std::to_string(at);
    }
    case 2: {
      const std::size_t end = std::max(other, std::min(all, kLeast));
      replace(end, all - end, {});
      return "cut at " + std::to_string(end);
    }
    case 3: {
      if (random() % 2 == 0) std::swap(at, other);
      replace(other, 0, range(at, size));
      return sized + " at " + std::to_string(at) + " repeated at " + std::to_string(other);
    }
    case 4: {
      const Pieces first = range(at, size);
      replace(at, size, range(other, size));
      replace(other, size, first);
      return sized + where + " and at " + std::to_string(other) + " swapped";
    }
    case 5:
      if (all - size < kLeast) return "nothing";
      replace(at, size, {});
      return sized + " removed" + where;
    default: {
      foreign_.emplace_back(1 + random() % 100, '\0');
      for (char& c : foreign_.back()) c = static_cast<char>(random());
      replace(at, 0, {foreign_.back()});
      return std::to_string(foreign_.back().size()) + " bytes inserted" + where;
    }
  }
}

void MutatedFile::write() {
  std::ofstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  std::size_t at = 0;
  for (const std::string_view piece : pieces_) {
    if (piece.data() != sound_.data() + at) {
      file.seekp(static_cast<std::streamoff>(at)).write(piece.data(), static_cast<std::streamsize>(piece.size()));
      damaged_.push_back({at, std::min(at + piece.size(), sound_.size())});
    }
    at += piece.size();
  }
  file.close();
  if (at < sound_.size()) damaged_.push_back({at, sound_.size()});
  std::filesystem::resize_file(path_, at);
}

void MutatedFile::undo() {
  {
    std::ofstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    for (const Range& range : damaged_) {
      if (range.begin >= range.end) continue;
      file.seekp(static_cast<std::streamoff>(range.begin))
          .write(sound_.data() + range.begin, static_cast<std::streamsize>(range.end - range.begin));
    }
  }
  std::filesystem::resize_file(path_, sound_.size());
  damaged_.clear();
  foreign_.clear();
  pieces_ = {sound_};
}

}  // namespace steno::test
