#include "format/strings/words/read.h"

#include <algorithm>
#include <cstring>

#include "format/block.h"
#include "format/strings/sized_part.h"
#include "format/strings/words/tokens.h"

namespace steno::format {
bool WordColumn::read(ByteReader& in, const StringPlace& place) {
  inside_ = place.inside(CodecId::kWordStrings);
  longest_ = in.get_varint();
  const std::uint64_t distinct = in.get_varint();
  if (!in.ok() || distinct > kMaxWords) return false;
  if (!decode_sized_strings(read_sized(in), distinct, inside_, &arena_, &dictionary_) || !make_entries()) return false;
  length_bytes_ = read_sized(in);
  token_bytes_ = read_sized(in);
  other_count_ = in.get_varint();
  others_ = read_sized(in);
  others_read_ = false;
  return in.ok() && other_count_ <= kMaxPayload / kTokenBytes;
}

bool WordColumn::make_entries() {
  const std::size_t bytes = replace_nulls(&dictionary_);
  if (bytes > kMaxWordBytes) return false;
  texts_.clear();
  texts_.resize(bytes);
  resize_anew(entries_, dictionary_.size() + 1);
  entries_[0] = Entry::of(0, 0, true);
  std::size_t at = 0;
  for (std::size_t i = 0; i < dictionary_.size(); ++i) {
    const std::string_view s = dictionary_[i];
    std::memcpy(texts_.data() + at, s.data(), s.size());
    entries_[i + 1] = Entry::of(at, s.size(), format::is_word(texts_.data() + at, s.size()));
    at += s.size();
  }
  return true;
}

bool WordColumn::read_lengths(std::size_t n) {
  if (!decode_sized_ints(length_bytes_, n, kTypeU32, &lengths_)) return false;
  token_count_ = 0;
  for (const std::uint64_t length : lengths_) token_count_ += length == 0 ? 0 : length - 1;  // small: no overflow
  return token_count_ <= kMaxPayload / kTokenBytes;
}

bool WordColumn::read_tokens() {
  if (!decode_sized_ints(token_bytes_, token_count_, kTypeU32, &tokens_)) return false;
  const std::uint64_t most = dictionary_.size();
  std::size_t others = 0;
  std::uint64_t greatest = 0;
  bytes_ = token_count_;
  for (const std::uint64_t token : tokens_) {
    others += token == 0 ? 1 : 0;
    greatest = std::max(greatest, token);
    bytes_ += entries_[std::min(token, most)].size();
  }
  if (others != other_count_ || greatest > most) return false;
  if (!read_others()) return false;
  for (const std::string_view word : other_words_) bytes_ += word.size();
  return true;
}

bool WordColumn::read_others() {
  if (others_read_) return true;
  if (!decode_sized_strings(others_, other_count_, inside_, &other_arena_, &other_words_)) return false;
  (void)replace_nulls(&other_words_);
  others_read_ = true;
  return true;
}

bool WordColumn::put_together(StringArena* arena, std::string_view* out) {
  constexpr std::size_t kMostly = 16;
  static_assert(kMostly <= kStringSlack);
  // This counts a blank before each token, which is at most a byte a token too much.
  if (bytes_ + (kTokenBytes - 1) * token_count_ > kMaxPayload) return false;
  StringFacts facts = arena_.facts();
  if (other_count_ != 0) facts.add(other_arena_.facts());
  arena->resize(bytes_);
  auto* p = reinterpret_cast<char*>(arena->data());
  const char* const begin = p;
  const auto* const texts = reinterpret_cast<const char*>(texts_.data());
  const std::uint64_t* token = tokens_.data();
  const std::string_view* other = other_words_.data();
  std::size_t longest = 0;
  for (const std::uint64_t length : lengths_) {
    if (length == 0) {
      facts.has_null = true;
      *out++ = std::string_view();
      continue;
    }
    const char* const string = p;
    std::size_t after_word = 0;
    for (const std::uint64_t* const end = token + length - 1; token != end; ++token) {
      const Entry entry = entries_[*token];
      *p = ' ';
      p += after_word & entry.word();
      after_word = entry.word();
      if (*token == 0) {
        std::memcpy(p, other->data(), other->size());
        p += (other++)->size();
        continue;
      }
      const char* const text = texts + entry.at();
      std::memcpy(p, text, kMostly);
      if (entry.size() > kMostly) std::memcpy(p + kMostly, text + kMostly, entry.size() - kMostly);
      p += entry.size();
    }
    const auto size = static_cast<std::size_t>(p - string);
    longest = std::max(longest, size);
    *out++ = std::string_view(string, size);
  }
  facts.longest = static_cast<std::uint32_t>(longest);
  facts.has_slack = true;
  arena->add(facts);
  const auto bytes = static_cast<std::size_t>(p - begin);
  arena->resize(bytes);
  return longest <= longest_ && bytes + kTokenBytes * token_count_ <= kMaxPayload;
}

std::size_t WordColumn::bytes_held() const {
  return (lengths_.capacity() + tokens_.capacity()) * sizeof(std::uint64_t) +
         (dictionary_.capacity() + other_words_.capacity()) * sizeof(std::string_view) + arena_.capacity() +
         texts_.capacity() + entries_.capacity() * sizeof(Entry) + other_arena_.capacity();
}

}  // namespace steno::format
