#include "format/strings/templates/read.h"

#include <algorithm>
#include <cstring>

#include "format/block.h"
#include "format/multiversion.h"
#include "format/strings/sized_part.h"

namespace steno::format {
namespace {

// The words of a column, one after the other. A line takes words from a dozen columns, of hundreds: more streams than
// the processor follows by itself, so what comes next is asked for early.
class WordCursor {
 public:
  static constexpr std::size_t kAhead = 6;  // words that must lie after the last one: their texts are asked for

  explicit WordCursor(const RawVector<std::string_view>& words) : next_(words.data()) {}

  STENO_INLINE std::string_view take() {
    __builtin_prefetch(reinterpret_cast<const char*>(next_) + 2 * kAhead * sizeof *next_);
    __builtin_prefetch(next_[kAhead].data());
    return *next_++;
  }

 private:
  const std::string_view* next_;
};

// Copies a string, with room for kStringSlack bytes. It has slack itself, or all is copied exactly.
template <bool kHasSlack>
STENO_INLINE char* put(char* p, std::string_view s) {
  constexpr std::size_t kMostly = 16;
  if (!kHasSlack) {
    std::memcpy(p, s.data(), s.size());
    return p + s.size();
  }
  std::memcpy(p, s.data(), kMostly);
  if (s.size() > kMostly) {
    if (s.size() <= kStringSlack) {
      std::memcpy(p + kMostly, s.data() + kMostly, kStringSlack - kMostly);
    } else {
      std::memcpy(p + kMostly, s.data() + kMostly, s.size() - kMostly);
    }
  }
  return p + s.size();
}

// A line of that template, of the words that come next. Returns its end.
template <bool kHasSlack>
STENO_INLINE char* put_line(const TemplateColumn& column, std::size_t t, WordCursor* next, char* p) {
  const std::string_view* text = column.texts_of(t).data();
  for (const std::uint64_t place : column.places_of(t)) {
    p = put<kHasSlack>(p, *text++);
    p = put<kHasSlack>(p, next[place].take());
  }
  return put<kHasSlack>(p, *text);
}

}  // namespace

bool TemplateColumn::read_templates(ByteReader& in, std::size_t templates, const StringPlace& place) {
  RawVector<std::uint64_t> counts;
  if (!decode_sized_ints(read_sized(in), templates, kTypeU32, &counts)) return false;
  first_words_.resize(templates + 1);
  std::size_t words = 0;
  for (std::size_t t = 0; t < templates; ++t) {
    if (counts[t] > kMaxTemplateWords) return false;
    first_words_[t] = words;
    words += counts[t];
  }
  first_words_[templates] = words;
  if (words > kMaxAllTemplateWords) return false;
  if (!decode_sized_ints(read_sized(in), words, kTypeU32, &places_)) return false;
  if (!decode_sized_strings(read_sized(in), words + templates, place.inside(CodecId::kTemplateStrings), &arena_,
                            &texts_))
    return false;
  replace_nulls(&texts_);
  return true;
}

bool TemplateColumn::count_words(std::size_t n) {
  counts_.assign(words_.size(), 0);
  counted_bytes_ = 0;
  lines_[0] = n;
  for (std::size_t t = 0; t < templates(); ++t) {
    const std::size_t lines = lines_[t + 1];
    if (lines > lines_[0]) return false;
    lines_[0] -= lines;
    std::size_t each = kWordBytes * places_of(t).size();
    for (const std::string_view text : texts_of(t)) each += text.size();
    if (each > kMaxPayload || (counted_bytes_ += each * lines) > kMaxPayload) return false;
    for (const std::uint64_t column : places_of(t)) {
      if (column >= counts_.size()) return false;
      counts_[column] += lines;
    }
  }
  return true;
}

bool TemplateColumn::read(ByteReader& in, std::size_t n, const StringPlace& place) {
  const std::uint64_t templates = in.get_varint();
  const std::uint64_t columns = in.get_varint();
  longest_ = in.get_varint();
  if (!in.ok() || templates == 0 || templates > std::min(n, kMaxTemplates) || columns > kMaxTemplateColumns)
    return false;
  RawVector<std::uint64_t> lines;
  if (!read_templates(in, templates, place) || !decode_sized_ints(read_sized(in), templates, kTypeU32, &lines))
    return false;
  lines_.assign(1, 0);
  lines_.insert(lines_.end(), lines.begin(), lines.end());
  index_bytes_ = read_sized(in);
  indices_.clear();
  words_.resize(columns);
  for (Bytes& words : words_) words = read_sized(in);
  others_ = read_sized(in);
  return in.ok() && count_words(n);
}

bool TemplateColumn::read_indices() {
  std::size_t n = 0;
  for (const std::size_t lines : lines_) n += lines;
  if (!decode_sized_ints(index_bytes_, n, kTypeU32, &indices_)) return false;
  std::vector<std::size_t> left = lines_;
  for (const std::uint64_t index : indices_) {
    if (index >= left.size() || left[index]-- == 0) return false;
  }
  return true;
}

bool TemplateStrings::decode(ByteReader& in, std::size_t n, const StringPlace& place) {
  if (!column_.read(in, n, place) || !column_.read_indices()) return false;
  const StringPlace inside = place.inside(CodecId::kTemplateStrings);
  bytes_ = column_.counted_bytes();
  if (words_.size() < column_.words().size()) words_.resize(column_.words().size());
  for (std::size_t c = 0; c < column_.words().size(); ++c) {
    Words& words = words_[c];
    if (!decode_sized_strings(column_.words()[c], column_.counts()[c], inside, &words.arena, &words.texts))
      return false;
    bytes_ += replace_nulls(&words.texts);
    if (bytes_ > kMaxPayload) return false;
    words.texts.insert(words.texts.end(), WordCursor::kAhead, std::string_view(kMissingString, 0));
  }
  if (!decode_sized_strings(column_.others(), column_.lines()[0], inside, &others_.arena, &others_.texts)) return false;
  for (const std::string_view s : others_.texts) bytes_ += s.size();
  if (bytes_ > kMaxPayload) return false;
  for (const std::size_t count : column_.counts()) bytes_ -= kWordBytes * count;
  return true;
}

bool TemplateStrings::put_together(StringArena* arena, std::string_view* out) {
  StringFacts facts = others_.arena.facts();
  facts.add(column_.facts());
  bool all_have_slack = column_.facts().has_slack;
  for (std::size_t c = 0; c < column_.words().size(); ++c) {
    if (column_.counts()[c] == 0) continue;
    facts.add(words_[c].arena.facts());
    all_have_slack &= words_[c].arena.facts().has_slack;
  }
  arena->resize(bytes_);  // empty strings point into it too
  auto* p = reinterpret_cast<char*>(arena->data());
  const char* const begin = p;
  std::vector<WordCursor> next;
  next.reserve(column_.words().size());
  for (std::size_t c = 0; c < column_.words().size(); ++c) next.emplace_back(words_[c].texts);
  const std::string_view* other = others_.texts.data();
  std::size_t longest = 0;
  for (const std::uint64_t index : column_.indices()) {
    if (index == 0) {
      const std::string_view s = *other++;
      longest = std::max(longest, s.size());
      if (s.data() == nullptr) {
        *out++ = s;
        continue;
      }
      if (!s.empty()) std::memcpy(p, s.data(), s.size());
      *out++ = std::string_view(p, s.size());
      p += s.size();
      continue;
    }
    const char* const line = p;
    p = all_have_slack ? put_line<true>(column_, index - 1, next.data(), p)
                       : put_line<false>(column_, index - 1, next.data(), p);
    const auto size = static_cast<std::size_t>(p - line);
    longest = std::max(longest, size);
    *out++ = std::string_view(line, size);
  }
  facts.longest = static_cast<std::uint32_t>(longest);
  facts.has_slack = true;
  arena->add(facts);
  arena->resize(static_cast<std::size_t>(p - begin));
  return longest <= column_.longest();
}

std::size_t TemplateStrings::bytes_held() const {
  std::size_t bytes =
      column_.bytes_held() + others_.texts.capacity() * sizeof(std::string_view) + others_.arena.capacity();
  for (const Words& words : words_) bytes += words.texts.capacity() * sizeof(std::string_view) + words.arena.capacity();
  return bytes;
}

}  // namespace steno::format
