// A file that is damaged in place, and made whole again at the cost of what was damaged: files of 100 MB are not
// copied.
#pragma once

#include <cstddef>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace steno::test {

// Described as pieces: views of the sound bytes, and bytes that are in no sound file.
class MutatedFile {
 public:
  // `path` holds `sound` now. Both must outlive this.
  MutatedFile(const std::string& path, std::string_view sound) : path_(path), sound_(sound), pieces_{sound} {}
  ~MutatedFile() { undo(); }
  MutatedFile(const MutatedFile&) = delete;
  MutatedFile& operator=(const MutatedFile&) = delete;

  std::size_t size() const {
    std::size_t size = 0;
    for (const std::string_view piece : pieces_) size += piece.size();
    return size;
  }

  // A flipped bit, a zeroed page, a cut, a range that is there twice, two ranges swapped, a range removed, or bytes
  // inserted; of pages now and then. What it did, in words.
  std::string mutate(unsigned kind, std::mt19937_64& random);
  // Makes the file so.
  void write();
  // Restores the original file.
  void undo();

 private:
  using Pieces = std::vector<std::string_view>;

  std::size_t cut_at(std::size_t offset);
  Pieces range(std::size_t begin, std::size_t size);
  void replace(std::size_t begin, std::size_t size, const Pieces& with);

  const std::string& path_;
  const std::string_view sound_;
  Pieces pieces_;
  std::deque<std::string> foreign_;
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  std::vector<Range> damaged_;  // of the sound file
};

}  // namespace steno::test
