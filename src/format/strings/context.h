// The context of an encoder of strings: the column that it encodes, and the memory for what it learns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "format/ints/codec.h"

namespace steno::format {

class SharedColumn;

// In place of a level of zstd, 1 to 19, which is used wherever it makes a column smaller.
inline constexpr int kZstdWhereItPays = 0;  // level 1, for columns that it makes much smaller than other codecs
inline constexpr int kNoZstd = -1;

// Columns of strings lie within others: a bit for each codec whose columns hold others. `within` has the bits of all
// columns around one, at whatever distance.
constexpr unsigned within_bit(CodecId codec) {
  return 1u << (static_cast<unsigned>(codec) - static_cast<unsigned>(CodecId::kStrings));
}
inline constexpr unsigned kAnywhere = ~0u;
// Besides, for those who read them: the strings are pieces of others, of which null is empty.
inline constexpr unsigned kPieces = 1u << 31;

// Memory of one writer's string encoders, which they use again. Each of them keeps an object of a type that only its
// file knows. Not thread-safe.
class StringMemory {
 public:
  // `integers` must outlive this.
  explicit StringMemory(IntScratch& integers) : ints(integers) {}
  StringMemory(const StringMemory&) = delete;
  StringMemory& operator=(const StringMemory&) = delete;

  // The object of that type, made when it is first asked for.
  template <class T>
  T& of() {
    static char kind;  // its address is T's
    for (const auto& [key, object] : objects_) {
      if (key == &kind) return *static_cast<T*>(object.get());
    }
    objects_.emplace_back(&kind, std::make_shared<T>());
    return *static_cast<T*>(objects_.back().second.get());
  }

  IntScratch& ints;
  bool left_out = false;               // a codec that takes long was, because there was no time
  std::vector<std::uint32_t> lengths;  // of the column under way
  ByteBuffer bytes;                    // its text

 private:
  std::vector<std::pair<const char*, std::shared_ptr<void>>> objects_;
};

// A column that is encoded. Its parts have contexts of their own.
struct StringContext {
  explicit StringContext(StringMemory& kept) : memory(&kept) {}

  StringMemory* memory;
  int zstd_level = kZstdWhereItPays;
  bool quick = false;              // there is no time: codecs that take long are left out
  std::uint64_t column = 0;        // by what it is known from one block to the next; 0: by nothing
  unsigned within = 0;             // the columns around it
  SharedColumn* shared = nullptr;  // of the argument whose column it is; nullptr: none
  std::size_t bits = 0;            // that a string takes if it is not shared, about
  bool compared = false;           // what comes of it is compared with what another codec makes of it

  IntScratch& ints() const { return memory->ints; }
  // A part of it; `key`: which one, the same in the next column.
  [[nodiscard]] StringContext part(std::uint64_t key) const {
    StringContext some = *this;
    if (column != 0) some.column = (column ^ (key + 1) * 0x9E3779B97F4A7C15) * 0xC2B2AE3D27D4EB4F | 1;
    return some;
  }
  // The columns within it, if it is of that codec. They share no strings with other blocks.
  [[nodiscard]] StringContext inside(CodecId codec) const {
    StringContext inner = *this;
    inner.within |= within_bit(codec);
    inner.shared = nullptr;
    inner.compared = false;
    return inner;
  }
};

// Parts of those columns that have some, but for the texts of shapes.
inline constexpr std::uint64_t kDistinctPart = 1;
inline constexpr std::uint64_t kOthersPart = 2;
inline constexpr std::uint64_t kSharedPart = 3;
inline constexpr std::uint64_t kTemplatesPart = 4;
inline constexpr std::uint64_t kWordKindParts = 5;  // up to 15: one for each kind of words
inline constexpr std::uint64_t kParentsPart = 16;
inline constexpr std::uint64_t kNamesPart = 17;
inline constexpr std::uint64_t kFrontsPart = 18;
inline constexpr std::uint64_t kItemsPart = 19;
inline constexpr std::uint64_t kRunsPart = 20;
inline constexpr std::uint64_t kSamplePart = 21;

}  // namespace steno::format
