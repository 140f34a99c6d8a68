// template strings: lines of text, by templates and the words that vary in them (file.md §9.6).
//
// The idea is that of CLP's log types (Rodrigues, Luo and Yuan, OSDI 2021), with a column for each word of a frequent
// template in place of one for all.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/thread_end.h"
#include "format/block.h"
#include "format/known_columns.h"
#include "format/strings/templates/find.h"
#include "format/strings/templates/parts.h"
#include "format/strings/templates/read.h"
#include "format/strings/templates/word_overlap.h"

namespace steno::format {
namespace {

constexpr std::size_t kMostKnown = 64;    // columns of which it is known whether templates pay
constexpr std::size_t kLeastPerWord = 4;  // bytes of a string for each of its words
constexpr std::uint32_t kLeastOwn = 32;   // lines of a template whose words have columns of their own
constexpr std::size_t kMostOwn = 200;     // such columns
constexpr std::size_t kMostDecoded = std::size_t{16} << 20;  // of the memory of decoded columns

// Words of templates with few lines share a column with others of their kind.
enum class WordKind : std::uint8_t { kDecimal, kHex, kPath, kLetters, kOther };
constexpr std::size_t kWordKinds = 5;
static_assert(kWordKindParts + kWordKinds <= kParentsPart);
static_assert(kMostOwn + kWordKinds <= kMaxTemplateColumns);

WordKind kind_of(const std::uint8_t* p, std::size_t n) {
  bool decimal = true;
  bool hex = true;
  bool letters = true;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint8_t c = p[i];
    const bool digit = c >= '0' && c <= '9';
    const auto lower = static_cast<std::uint8_t>(c | 0x20);
    if (c == '/') return WordKind::kPath;
    decimal &= digit;
    hex &= digit || (lower >= 'a' && lower <= 'f');
    letters &= lower >= 'a' && lower <= 'z';
  }
  return decimal ? WordKind::kDecimal : hex ? WordKind::kHex : letters ? WordKind::kLetters : WordKind::kOther;
}

// A template as the encoder has it.
struct Known {
  StringRef example;
  std::vector<Word> words;
  std::vector<std::uint32_t> columns;  // of each word
};

// A place of words in templates: what comes before them.
struct Place {
  std::uint32_t number = 0;
  std::uint32_t lines = 0;
};

struct Templates {
  TemplateFinder finder;
  KnownColumns<CodecTrial, kMostKnown> trials;
  std::vector<Known> known;
  std::unordered_map<std::uint64_t, Place> places;  // by what comes before
  std::size_t columns_used = 0;
  WordOverlap overlap;
  std::vector<std::uint64_t> keys;                 // of each column: what it is known by
  std::vector<std::vector<StringRef>> columns;     // the words
  std::array<std::uint32_t, kWordKinds> shared{};  // column + 1 of each kind
  std::vector<StringRef> others;
  std::vector<std::uint32_t> lines;  // of each template
  std::vector<std::uint32_t> words;  // of each template
  std::vector<std::uint32_t> word_columns;
  std::vector<StringRef> texts;
};

std::uint32_t add_column(std::uint64_t key, Templates& own) {
  if (own.columns.size() == own.columns_used) own.columns.emplace_back();
  own.columns[own.columns_used].clear();
  own.keys.push_back(key);
  return static_cast<std::uint32_t>(own.columns_used++);
}

std::uint32_t shared_column(WordKind kind, Templates& own) {
  std::uint32_t& column = own.shared[static_cast<std::size_t>(kind)];
  if (column == 0) column = 1 + add_column(kWordKindParts + static_cast<std::uint64_t>(kind), own);
  return column - 1;
}

// Says where the words of each template go. Words that come after the same are in one column, whatever follows: the
// time and the host that all lines begin with.
void assign_columns(const StringSource& source, Templates& own) {
  const std::vector<LineKind>& templates = own.finder.templates();
  own.columns_used = 0;
  own.keys.clear();
  own.shared = {};
  own.places.clear();
  own.known.resize(templates.size());
  for (std::size_t t = 0; t < templates.size(); ++t) {
    Known& known = own.known[t];
    known.example = source.at(templates[t].example);
    const auto words = own.finder.words_of_example(source, templates[t]);
    known.words.assign(words.begin(), words.end());
    known.columns.clear();
    for (const std::uint64_t hash : own.finder.prefix_hashes()) {
      const auto place = own.places.try_emplace(hash, Place{static_cast<std::uint32_t>(own.places.size())}).first;
      place->second.lines += templates[t].lines;
      known.columns.push_back(place->second.number);
    }
  }
  std::vector<std::pair<std::uint64_t, Place>> places(own.places.begin(), own.places.end());
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
    return a.second.lines != b.second.lines ? a.second.lines > b.second.lines : a.second.number < b.second.number;
  });
  constexpr std::uint32_t kNoColumn = UINT32_MAX;
  std::vector<std::uint32_t> columns(places.size(), kNoColumn);
  for (const auto& [hash, place] : places) {
    if (place.lines < kLeastOwn || own.columns_used == kMostOwn) break;
    columns[place.number] = add_column(hash, own);
  }
  for (Known& known : own.known) {
    for (std::size_t w = 0; w < known.words.size(); ++w) {
      const Word& word = known.words[w];
      const std::uint32_t column = columns[known.columns[w]];
      known.columns[w] = column != kNoColumn
                             ? column
                             : shared_column(kind_of(known.example.data + word.begin, word.end - word.begin), own);
    }
  }
}

// Returns whether a string without its words is the same as the template's example without its words.
bool has_template(const StringRef& s, std::span<const Word> words, const Known& known) {
  if (words.size() != known.words.size()) return false;
  std::uint32_t at = 0;
  std::uint32_t example_at = 0;
  const auto same = [&](std::uint32_t end, std::uint32_t example_end) {
    return same_string({s.data + at, end - at}, {known.example.data + example_at, example_end - example_at});
  };
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (!same(words[w].begin, known.words[w].begin)) return false;
    at = words[w].end;
    example_at = known.words[w].end;
  }
  return same(s.size, known.example.size);
}

// The parts of strings that were taken apart.
struct Parts {
  std::size_t bytes = 0;    // of all strings
  std::size_t longest = 0;  // of them
  std::size_t words = 0;
  std::size_t bytes_of_words = 0;

  std::size_t counted_bytes() const { return bytes + kWordBytes * words; }
  // Strings without words are for a dictionary, and words without texts for other codecs. Many short words, as the
  // digits of dumps are, take several times longer to read than by other codecs.
  bool are_lines(std::size_t strings) const {
    return words >= strings && bytes_of_words * 16 <= bytes * 15 && words * kLeastPerWord <= bytes;
  }
};

// Takes all strings apart; those that do not come out as their template wants are among the others.
Parts take_apart(const StringSource& source, Templates& own) {
  std::vector<std::uint32_t>& indices = own.finder.indices();
  const std::vector<LineKind>& templates = own.finder.templates();
  own.others.clear();
  own.lines.assign(templates.size(), 0);
  Parts parts;
  for (std::size_t i = 0; i < source.count; ++i) {
    const StringRef s = source.at(i);
    parts.bytes += s.bytes();
    parts.longest = std::max(parts.longest, s.bytes());
    const std::uint32_t index = indices[i];
    std::span<const Word> words;
    if (index != 0) words = own.finder.words_of(source, i);
    if (index == 0 || !has_template(s, words, own.known[index - 1])) {
      indices[i] = 0;
      own.others.push_back(s);
      continue;
    }
    ++own.lines[index - 1];
    const std::uint32_t* column = own.known[index - 1].columns.data();
    for (const Word& word : words) {
      const auto size = static_cast<std::uint32_t>(word.end - word.begin);
      own.columns[*column++].push_back({s.data + word.begin, size});
      parts.bytes_of_words += size;
    }
    parts.words += words.size();
  }
  return parts;
}

// Joins columns that have the same words, in the order of the strings.
void join_columns(Templates& own) {
  const std::size_t columns = own.columns_used;
  const auto joined = own.overlap.find(std::span(own.columns).first(columns));
  std::vector<std::uint32_t> numbers(columns);
  std::uint32_t left = 0;
  for (std::size_t c = 0; c < columns; ++c) numbers[c] = joined[c] == c ? left++ : numbers[joined[c]];
  if (left == columns) return;
  std::vector<std::vector<StringRef>> words(columns);
  words.swap(own.columns);
  own.columns.resize(left);
  std::vector<std::size_t> next(columns);
  std::vector<bool> is_joined(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    is_joined[c] = joined[c] != c || std::count(joined.begin(), joined.end(), c) != 1;
    if (!is_joined[c]) own.columns[numbers[c]].swap(words[c]);
    if (joined[c] == c) own.keys[numbers[c]] = own.keys[c];
  }
  for (const std::uint32_t index : own.finder.indices()) {
    if (index == 0) continue;
    for (const std::uint32_t c : own.known[index - 1].columns) {
      if (is_joined[c]) own.columns[numbers[c]].push_back(words[c][next[c]++]);
    }
  }
  for (Known& known : own.known) {
    for (std::uint32_t& c : known.columns) c = numbers[c];
  }
  own.columns_used = left;
}

void append_parts(const Parts& parts, const StringContext& context, ByteBuffer& out) {
  auto& own = context.memory->of<Templates>();
  own.words.clear();
  own.word_columns.clear();
  own.texts.clear();
  for (const Known& known : own.known) {
    own.words.push_back(static_cast<std::uint32_t>(known.words.size()));
    own.word_columns.insert(own.word_columns.end(), known.columns.begin(), known.columns.end());
    std::uint32_t at = 0;
    for (const Word& word : known.words) {
      own.texts.push_back({known.example.data + at, word.begin - at});
      at = word.end;
    }
    own.texts.push_back({known.example.data + at, known.example.size - at});
  }
  append_templates({.longest = parts.longest,
                    .words = own.words,
                    .places = own.word_columns,
                    .texts = own.texts,
                    .lines = own.lines,
                    .indices = own.finder.indices(),
                    .columns = std::span(own.columns).first(own.columns_used),
                    .keys = own.keys,
                    .others = own.others},
                   context, out);
}

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  auto& own = context.memory->of<Templates>();
  own.finder.find(source);
  if (own.finder.templates().empty()) return false;
  assign_columns(source, own);
  const Parts parts = take_apart(source, own);
  if (parts.counted_bytes() > kMaxPayload || !parts.are_lines(source.count)) return false;
  if (own.others.size() * 2 > source.count) return false;
  join_columns(own);
  append_parts(parts, context, out);
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  TemplateStrings& strings = of_thread<TemplateStrings>();  // keeps its memory; none are within others
  const bool good = strings.decode(in, n, place) && strings.put_together(arena, out);
  if (strings.bytes_held() > kMostDecoded) strings = {};
  return good;
}

// The bound that the column claims, which is checked where it is decoded.
std::size_t most_bytes(const OpenedColumn& column) {
  ByteReader in = column.body;
  in.get_varint();
  in.get_varint();
  return in.get_varint();
}

CodecTrial& trial_of(const StringContext& context) {
  return context.memory->of<Templates>().trials.of(context.column);
}

}  // namespace

const StringCodec kTemplateStringCodec{
    .id = CodecId::kTemplateStrings,
    .name = "template_strings",
    .may_be_within = within_bit(CodecId::kSharedStrings) | within_bit(CodecId::kListStrings),
    .form = ColumnForm::kTemplates,
    .trial = {.stage = CodecStage::kWholes,
              .known = trial_of,
              .share = 16,  // they take longer to write
              .least_length = 20,
              .takes_long = true,
              .with_others = true},
    .encode = encode,
    .decode = decode,
    .most_bytes = most_bytes};

}  // namespace steno::format
