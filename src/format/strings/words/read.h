// Columns of word strings (file.md §9.6.1): sentences, as numbers of words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/raw_vector.h"
#include "format/string_arena.h"
#include "format/strings/codec.h"

namespace steno::format {

inline constexpr std::size_t kMaxWords = std::size_t{1} << 16;      // of a dictionary: a limit of the format
inline constexpr std::size_t kMaxWordBytes = std::size_t{1} << 22;  // of its strings together: another
inline constexpr std::size_t kTokenBytes = 8;                       // what each token counts for besides its own bytes

// Such a column, decoded in steps. Views into the column. Not thread-safe.
class WordColumn {
 public:
  using Bytes = std::span<const std::uint8_t>;

  // Reads the dictionary of an untrusted column, from after its codec byte, but not what its strings are. False:
  // damaged.
  [[nodiscard]] bool read(ByteReader& in, const StringPlace& place);
  // After that: how many tokens each of the n strings has. False: damaged.
  [[nodiscard]] bool read_lengths(std::size_t n);
  // Or: the words that are not in the dictionary. False: damaged.
  [[nodiscard]] bool read_others();
  // After read_lengths(): the tokens, which all stand for something, and these words. False: damaged.
  [[nodiscard]] bool read_tokens();
  // After that: puts the strings together in the arena, and says there what is known of them. False: damaged.
  [[nodiscard]] bool put_together(StringArena* arena, std::string_view* out);

  // None is null.
  std::span<const std::string_view> dictionary() const { return dictionary_; }
  bool is_word(std::size_t token) const { return entries_[token].word() != 0; }
  // A number for each string: 0 for null, else how many tokens it has + 1; after read_lengths().
  std::span<const std::uint64_t> lengths() const { return lengths_; }
  std::size_t token_count() const { return token_count_; }
  // The column of tokens as it is.
  Bytes token_bytes() const { return token_bytes_; }
  // The tokens of all strings: 0 for the next of the others, else an index of the dictionary + 1; after read_tokens().
  std::span<const std::uint64_t> tokens() const { return tokens_; }
  // The column of words that are not in the dictionary, and how many these are.
  Bytes others() const { return others_; }
  std::size_t other_count() const { return other_count_; }
  // These words, in the order of the tokens; after read_others(). None is null.
  std::span<const std::string_view> other_words() const { return other_words_; }
  // The bytes of its longest string, as the column claims.
  std::size_t longest() const { return longest_; }
  std::size_t bytes_held() const;

 private:
  // A string of the dictionary, as it is put into others.
  struct Entry {
    std::uint64_t bits = 0;  // where its text is, its size, and whether it is a word

    static Entry of(std::size_t at, std::size_t size, bool word) { return {at << 32 | size << 1 | (word ? 1 : 0)}; }
    std::size_t at() const { return bits >> 32; }
    std::size_t size() const { return static_cast<std::uint32_t>(bits) >> 1; }
    std::size_t word() const { return bits & 1; }
  };

  [[nodiscard]] bool make_entries();

  StringPlace inside_;
  std::size_t longest_ = 0;
  StringArena arena_;
  RawVector<std::string_view> dictionary_;
  StringArena texts_;         // of the dictionary, one after the other
  RawVector<Entry> entries_;  // by token
  std::size_t bytes_ = 0;     // of all strings, with a blank before each token
  Bytes length_bytes_;
  RawVector<std::uint64_t> lengths_;
  Bytes token_bytes_;
  std::size_t token_count_ = 0;
  RawVector<std::uint64_t> tokens_;
  std::size_t other_count_ = 0;
  Bytes others_;
  bool others_read_ = false;
  StringArena other_arena_;
  RawVector<std::string_view> other_words_;
};

}  // namespace steno::format
