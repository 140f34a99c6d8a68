// The writer's side of dictionaries that columns share (file.md §12): which strings of one argument have come before,
// and what of them is in the file.
//
//   SharedStrings shared;                        one per writer
//   context.shared = shared.of(site, argument);  then encode_strings() may use it
//   shared.parts()                               what must be in the file before the columns that were encoded
//   shared.begin_stretch();                      after an index block: everything is to be written again
//
// A string is taken in when it comes for the second time, so that those which come once cost nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "format/strings/codec.h"
#include "format/strings/hash.h"
#include "format/strings_block.h"

namespace steno::format {

// Strings that are kept, at addresses that stay, with as many readable bytes before each as StringRef promises.
class StringStore {
 public:
  // The copy of a string that is not null and not longer than kLongest.
  StringRef add(const StringRef& s);
  std::size_t bytes() const { return bytes_; }
  void clear();

  static constexpr std::size_t kLongest = 4096;

 private:
  static constexpr std::size_t kChunk = 1u << 16;
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
  std::size_t used_ = kChunk;  // of the last one
  std::size_t bytes_ = 0;
};

class SharedStrings;

// The strings of one argument.
class SharedColumn {
 public:
  explicit SharedColumn(SharedStrings* owner) : owner_(owner) { clear_entries(); }

  // Returns whether it is worth while to look up a column now that takes `bits` a string otherwise: where lookups
  // brought nothing, not every column is due.
  bool is_due(std::size_t bits);
  // Appends the column, codec byte not included, and to the owner's parts what of the dictionary is new to the file.
  // False: it would take more than bits * source.count; nothing is appended then.
  bool encode(const StringSource& source, std::size_t bits, const StringContext& context, ByteBuffer& out);
  // From here on nothing refers to strings that were written before.
  void begin_stretch();
  // The memory that it takes, about.
  std::size_t bytes() const {
    return store_.bytes() + entries_.size() * (sizeof(Entry) + sizeof(StringBlocks)) + slots_.size() * 8 +
           seen_.size() * 4;
  }

 private:
  struct Entry {
    StringRef string;
    std::uint32_t code = 0;  // its number in the dictionary + 1; 0: not in the file
  };

  struct Batch;

  void look_up(const StringSource& source);
  template <bool kShort>
  std::size_t look_up(Batch& batch, std::uint32_t* codes) const;
  std::uint32_t find(const StringRef& s, const StringBlocks& blocks, std::uint64_t hash);
  std::uint32_t code_of(std::uint32_t entry);
  std::uint32_t add_entry(const StringRef& s, const StringBlocks& blocks);
  void clear_entries();
  bool is_known(std::uint64_t hash);
  void insert(std::uint64_t hash, std::uint32_t index);
  void rebuild(std::size_t slots);
  void restart();
  std::size_t bits_of_column(std::size_t count) const;
  void append_part(const StringContext& context);
  void append_others(const StringContext& context, ByteBuffer& out);
  std::span<const std::uint8_t> encode_apart(std::span<const StringRef> strings, std::uint64_t part_id,
                                             const StringContext& context);

  SharedStrings* owner_;
  std::uint64_t dictionary_ = 0;      // number of it; 0: none yet
  std::uint32_t written_ = 0;         // strings of it in the file
  std::vector<Entry> entries_;        // the first one is no string: free slots lead there
  std::vector<StringBlocks> blocks_;  // of the entries
  StringStore store_;
  std::vector<std::uint64_t> slots_;  // a hash table: the upper half of a hash, then the entry
  std::vector<std::uint32_t> seen_;   // by hash: what came once, as the upper half of its hash
  bool full_ = false;
  std::int64_t balance_ = 0;  // bits saved in this stretch
  // The column under way:
  std::vector<std::uint32_t> codes_;  // per value; 0: it is one of the others
  std::vector<std::uint32_t> fresh_;  // entries that are new to the file
  std::size_t fresh_bytes_ = 0;
  std::span<const StringRef> others_;  // in others_room_
  std::vector<StringRef> others_room_;
  std::size_t others_bytes_ = 0;
  std::vector<StringRef> strings_;
  // When to try.
  unsigned columns_ = 0;  // that it was asked about
  unsigned due_ = 0;      // the next one that it is to be tried for
  unsigned failures_ = 0;
};

// Not thread-safe. Memory: `most_bytes`, checked by keep_bound().
class SharedStrings {
 public:
  static constexpr std::size_t kMostColumns = 4096;
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  explicit SharedStrings(std::size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // nullptr: there are too many already.
  SharedColumn* of(std::uint32_t site, std::uint32_t argument);
  void begin_stretch();
  // Begins a session likewise; its dictionaries have numbers from `first` on.
  void begin_session(std::uint64_t first);
  std::size_t bytes() const;
  // Forgets everything if it has become too much.
  void keep_bound();
  // The payload of a strings block; to be cleared by who writes it.
  ByteBuffer& parts() { return parts_; }

  std::uint64_t next_dictionary() { return next_dictionary_++; }
  ByteBuffer& column() { return column_; }

 private:
  const std::size_t most_bytes_;
  std::unordered_map<std::uint64_t, std::unique_ptr<SharedColumn>> columns_;
  std::uint64_t next_dictionary_ = 1;
  ByteBuffer parts_;
  ByteBuffer column_;  // scratch
};

// A column of shared strings as a reader has it.
struct SharedCodes {
  RawVector<std::uint64_t> codes;             // per value: 0, or its number in the dictionary + 1
  std::uint64_t greatest = 0;                 // of the codes
  std::span<const std::string_view> strings;  // of the dictionary
  RawVector<std::string_view> others;         // of the values whose code is 0, in order

  // Requires a code that is not 0.
  std::string_view string(std::uint64_t code) const {
    return code <= strings.size() ? strings[code - 1] : std::string_view(kMissingString);
  }
};

// The fields before the codes of a column.
struct SharedHead {
  std::uint64_t dictionary = 0;
  std::uint64_t others = 0;              // how many codes are 0; a claim until they have been read
  std::span<const std::uint8_t> column;  // of the others; empty: none
};

// Reads it from after the codec byte of an untrusted column of n strings. False: damaged.
[[nodiscard]] bool read_shared_head(ByteReader& in, std::size_t n, SharedHead* head);
// Reads an untrusted column, from after its codec byte. False: damaged.
[[nodiscard]] bool read_shared_codes(ByteReader& in, std::size_t n, const StringPlace& place, SharedCodes* read,
                                     StringArena* arena);

}  // namespace steno::format
