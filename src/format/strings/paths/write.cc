// Names of files, addresses of pages, qualified names: strings that are cut at a delimiter. What comes before the last
// `/` or the like repeats often, and what comes after has shapes that the whole has not. Such a column is one of
// template strings with one template (file.md §9.6).
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "format/block.h"
#include "format/known_columns.h"
#include "format/strings/index.h"
#include "format/strings/templates/parts.h"
#include "format/strings/templates/read.h"

namespace steno::format {
namespace {

constexpr std::size_t kMostKnown = 64;  // columns of which it is known whether cutting pays
constexpr std::size_t kSample = 1024;   // strings that are looked at to choose a delimiter
// After bytes that may be read with a string (StringRef).
constexpr std::array<std::uint8_t, 20> kDelimiterBytes = {0, 0, 0, 0, 0, 0, 0,   0,    0,   0,
                                                          0, 0, 0, 0, 0, 0, '/', '\\', '.', ':'};
constexpr std::span kDelimiters = std::span(kDelimiterBytes).subspan<16>();

struct KnownPaths {
  CodecTrial trial;
  const std::uint8_t* delimiter = nullptr;  // of kDelimiters; nullptr: none pays

  void forget() { *this = {}; }
};

struct Paths {
  KnownColumns<KnownPaths, kMostKnown> known;
  StringIndex index;
  std::vector<std::uint32_t> indices;
  std::array<std::vector<StringRef>, 2> columns;  // what comes before the last delimiter, and what after
  std::vector<StringRef> others;
};

// Where the last delimiter is; nullptr: there is none.
const std::uint8_t* last_of(const StringRef& s, std::uint8_t delimiter) {
  return s.is_null() ? nullptr : static_cast<const std::uint8_t*>(memrchr(s.data, delimiter, s.size));
}

// How many bytes of a sample are those of parents that came before.
std::size_t repeated_bytes(const StringSource& source, std::uint8_t delimiter, StringIndex* index) {
  const std::size_t sampled = std::min(source.count, kSample);
  index->clear(sampled);
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < sampled; ++k) {
    const StringRef s = source.at(source.count * k / sampled);
    const std::uint8_t* const end = last_of(s, delimiter);
    if (end == nullptr) continue;
    const std::size_t distinct = index->distinct().size();
    const StringRef parent{s.data, static_cast<std::uint32_t>(end - s.data)};
    if (index->add(parent) != StringIndex::kGiveUp && index->distinct().size() == distinct) bytes += parent.size;
  }
  return bytes;
}

const std::uint8_t* choose_delimiter(const StringSource& source, StringIndex* index) {
  const std::uint8_t* best = nullptr;
  std::size_t most = std::min(source.count, kSample);  // a byte a string
  for (const std::uint8_t& delimiter : kDelimiters) {
    const std::size_t bytes = repeated_bytes(source, delimiter, index);
    if (bytes <= most) continue;
    most = bytes;
    best = &delimiter;
  }
  return best;
}

// Cuts all strings. False: too many have no delimiter, or they are too long.
bool cut(const StringSource& source, std::uint8_t delimiter, Paths& own, std::size_t* longest) {
  for (auto& column : own.columns) column.clear();
  own.others.clear();
  own.indices.resize(source.count);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < source.count; ++i) {
    const StringRef s = source.at(i);
    *longest = std::max(*longest, s.bytes());
    bytes += s.bytes();
    const std::uint8_t* const at = last_of(s, delimiter);
    own.indices[i] = at != nullptr ? 1 : 0;
    if (at == nullptr) {
      own.others.push_back(s);
      continue;
    }
    const auto parent = static_cast<std::uint32_t>(at - s.data);
    own.columns[0].push_back({s.data, parent});
    own.columns[1].push_back({at + 1, s.size - parent - 1});
  }
  return own.others.size() * 2 <= source.count && bytes + 2 * kWordBytes * own.columns[0].size() <= kMaxPayload;
}

KnownPaths& known_paths(const StringContext& context) {
  return context.memory->of<Paths>().known.of(context.column);
}

CodecTrial& trial_of(const StringContext& context) {
  return known_paths(context).trial;
}

void prepare(const StringSource& source, std::size_t, const StringContext& context, ByteBuffer&) {
  known_paths(context).delimiter = choose_delimiter(source, &context.memory->of<Paths>().index);
}

// Where it was last found to pay.
bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  auto& own = context.memory->of<Paths>();
  const std::uint8_t* const delimiter = known_paths(context).delimiter;
  std::size_t longest = 0;
  if (delimiter == nullptr || !cut(source, *delimiter, own, &longest)) return false;
  constexpr std::array<std::uint32_t, 2> kPlaces = {0, 1};
  constexpr std::array<std::uint64_t, 2> kKeys = {kParentsPart, kNamesPart};
  const auto words = static_cast<std::uint32_t>(kPlaces.size());
  const auto lines = static_cast<std::uint32_t>(own.columns[0].size());
  const std::array<StringRef, 3> texts = {StringRef{delimiter, 0}, {delimiter, 1}, {delimiter, 0}};
  append_templates({.longest = longest,
                    .words = {&words, 1},
                    .places = kPlaces,
                    .texts = texts,
                    .lines = {&lines, 1},
                    .indices = own.indices,
                    .columns = own.columns,
                    .keys = kKeys,
                    .others = own.others},
                   context, out);
  return true;
}

}  // namespace

const StringCodec kPathStringCodec{.id = CodecId::kTemplateStrings,
                                   .name = "paths",
                                   .may_be_within = 0,
                                   .trial = {.stage = CodecStage::kWholes,
                                             .known = trial_of,
                                             .share = 16,
                                             .least_length = 12,
                                             .takes_long = true,
                                             .prepare = prepare},
                                   .encode = encode,
                                   .decode = nullptr};  // kTemplateStringCodec's

}  // namespace steno::format
