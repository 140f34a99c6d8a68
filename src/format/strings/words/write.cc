// word strings: sentences, by the words that come again and again (file.md §9.6.1).
//
// Words as symbols, with blanks implied, are those of Moura, Navarro, Ziviani and Baeza-Yates (Fast and flexible word
// searching on compressed text, ACM TOIS 2000); in place of their byte codes there is a column of integers.
#include <algorithm>
#include <vector>

#include "base/thread_end.h"
#include "format/block.h"
#include "format/known_columns.h"
#include "format/strings/index.h"
#include "format/strings/sized_part.h"
#include "format/strings/words/read.h"
#include "format/strings/words/tokens.h"

namespace steno::format {
namespace {

constexpr std::size_t kMostKnown = 64;     // columns of which it is known whether words pay
constexpr std::size_t kFirstCheck = 8192;  // tokens after which repetition is looked at, then twice as many, and so on
constexpr std::size_t kLeastRepeated = 2;  // times that a word comes, on average
constexpr std::size_t kLeastPerToken = 4;  // bytes: less are digits of dumps or the like, and slow to read as words
constexpr std::size_t kMostDecoded = std::size_t{16} << 20;  // of the memory of a decoded column
constexpr std::uint32_t kLeastOften = 2;                     // times that a word of the dictionary comes

struct Words {
  KnownColumns<CodecTrial, kMostKnown> trials;
  StringIndex index;
  std::vector<std::uint32_t> lengths;  // of strings, in tokens, as they are coded
  std::vector<std::uint32_t> tokens;
  std::vector<StringRef> dictionary;
  std::vector<StringRef> others;
};

// Returns whether the tokens are few for strings of so many bytes, and repeat.
bool pays(const Words& own, std::size_t bytes) {
  const std::size_t tokens = own.tokens.size();
  return own.index.distinct().size() * kLeastRepeated <= tokens && tokens * kLeastPerToken <= bytes;
}

// Cuts all strings, and sees how long the longest is. False: there is little that repeats, or too much at all.
bool cut(const StringSource& source, Words& own, std::size_t* longest) {
  own.index.clear(source.count);
  own.tokens.clear();
  own.lengths.clear();
  std::size_t bytes = 0;
  std::size_t check = kFirstCheck;
  for (std::size_t i = 0; i < source.count; ++i) {
    const StringRef s = source.at(i);
    if (s.is_null()) {
      own.lengths.push_back(0);
      continue;
    }
    const std::size_t first = own.tokens.size();
    const bool good = for_each_token(s.data, s.size, [&own](const std::uint8_t* p, std::size_t n, bool) {
      own.tokens.push_back(own.index.add({p, static_cast<std::uint32_t>(n)}));
      return own.tokens.back() != StringIndex::kGiveUp;
    });
    own.lengths.push_back(static_cast<std::uint32_t>(own.tokens.size() - first + 1));
    *longest = std::max(*longest, s.bytes());
    bytes += s.bytes();
    if (!good || bytes + kTokenBytes * own.tokens.size() > kMaxPayload) return false;
    if (own.tokens.size() < check) continue;
    if (!pays(own, bytes)) return false;
    check = 2 * own.tokens.size();
  }
  return pays(own, bytes);
}

bool is_word(const StringRef& s) {
  return format::is_word(s.data, s.size);
}

// Turns the numbers of strings into tokens, which are small for what comes often. Words that come seldom are the
// others; marks are never.
void choose(Words& own) {
  own.index.sort_by_frequency(&own.tokens);
  const auto& distinct = own.index.distinct();
  const auto& counts = own.index.counts();
  std::vector<std::uint32_t> token_of(distinct.size());
  own.dictionary.clear();
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    if (counts[i] < kLeastOften && is_word(distinct[i])) continue;
    own.dictionary.push_back(distinct[i]);
    token_of[i] = static_cast<std::uint32_t>(own.dictionary.size());
  }
  own.others.clear();
  for (std::uint32_t& token : own.tokens) {
    const std::uint32_t number = token;
    token = token_of[number];
    if (token == 0) own.others.push_back(distinct[number]);
  }
}

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  auto& own = context.memory->of<Words>();
  std::size_t longest = 0;
  if (!cut(source, own, &longest)) return false;
  choose(own);
  std::size_t bytes = 0;
  for (const StringRef& s : own.dictionary) bytes += s.size;
  if (own.dictionary.size() > kMaxWords || bytes > kMaxWordBytes) return false;
  const StringContext inside = context.inside(CodecId::kWordStrings);
  out.put_varint(longest);
  out.put_varint(own.dictionary.size());
  append_sized_strings(own.dictionary, encode_distinct_strings, inside.part(kDistinctPart), out);
  append_sized_ints(own.lengths, context.ints(), out);
  append_sized_ints(own.tokens, context.ints(), out);
  out.put_varint(own.others.size());
  append_sized_strings(own.others, encode_distinct_strings, inside.part(kOthersPart), out);
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  WordColumn& column = of_thread<WordColumn>();  // keeps its memory; none are within others
  const bool good =
      column.read(in, place) && column.read_lengths(n) && column.read_tokens() && column.put_together(arena, out);
  if (column.bytes_held() > kMostDecoded) column = {};
  return good;
}

// The bound that the column claims, which is checked where it is decoded.
std::size_t most_bytes(const OpenedColumn& column) {
  ByteReader in = column.body;
  return in.get_varint();
}

CodecTrial& trial_of(const StringContext& context) {
  return context.memory->of<Words>().trials.of(context.column);
}

}  // namespace

const StringCodec kWordStringCodec{.id = CodecId::kWordStrings,
                                   .name = "word_strings",
                                   .may_be_within = kAnywhere & ~within_bit(CodecId::kWordStrings),
                                   .form = ColumnForm::kWords,
                                   .trial = {.stage = CodecStage::kTexts,
                                             .known = trial_of,
                                             .share = 8,  // they take longer to read
                                             .least_length = 16,
                                             .waits = false},
                                   .encode = encode,
                                   .decode = decode,
                                   .most_bytes = most_bytes};

}  // namespace steno::format
