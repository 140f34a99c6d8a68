// string runs: strings that repeat the one before, once and how often (file.md §9.6.5).
#include "format/strings/runs/codec.h"

#include <algorithm>
#include <vector>

#include "base/scratch.h"
#include "format/ints/column.h"
#include "format/known_columns.h"
#include "format/rows.h"
#include "format/strings/sized_part.h"

namespace steno::format {
namespace {

constexpr std::size_t kMostKnown = 256;  // columns of which it is known whether runs pay: templates have many
constexpr std::size_t kLeastRun = 2;     // strings, on average
constexpr std::size_t kLook = 32;        // pairs of neighbours that are looked at first

struct Runs {
  KnownColumns<CodecTrial, kMostKnown> trials;
};

CodecTrial& trial_of(const StringContext& context) {
  return context.memory->of<Runs>().trials.of(context.column);
}

// Returns whether nearly half of some pairs of neighbours, which lie far apart, are equal.
bool may_repeat(const StringSource& source, const StringContext&) {
  std::size_t equal = 0;
  for (std::size_t k = 0; k < kLook; ++k) {
    const std::size_t i = (source.count - 1) * k / kLook;
    equal += same_string(source.at(i), source.at(i + 1)) ? 1 : 0;
  }
  return 3 * equal >= kLook;
}

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  std::vector<StringRef> strings = {source.at(0)};
  std::vector<std::uint32_t> repeats = {0};
  for (std::size_t i = 1; i < source.count; ++i) {
    const StringRef s = source.at(i);
    if (same_string(s, strings.back())) {
      ++repeats.back();
      continue;
    }
    if (strings.size() * kLeastRun >= source.count) return false;
    strings.push_back(s);
    repeats.push_back(0);
  }
  out.put_varint(strings.size());
  append_sized_ints(repeats, context.ints(), out);
  encode_strings(StringSource::of(strings), context.inside(CodecId::kStringRuns).part(kRunsPart), out);
  return true;
}

bool open(OpenedColumn* column) {
  RunsHead head;
  column->inner = column->body;
  if (!read_runs_head(column->inner, column->rows != kUnknownRows ? column->rows : kMaxRecords, &head)) return false;
  column->inner_rows = head.count;
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  RunsHead head;
  if (!read_runs_head(in, n, &head)) return false;
  Scratch::Array<std::uint64_t> repeats(Scratch::of_thread(), head.count);
  Scratch::Array<std::string_view> strings(Scratch::of_thread(), head.count);
  if (!read_repeats(head, n, repeats.span())) return false;
  if (!decode_strings(in, head.count, place.inside(CodecId::kStringRuns), arena, strings.data())) return false;
  for (std::size_t k = 0; k < head.count; ++k) out = std::fill_n(out, repeats[k] + 1, strings[k]);
  return true;
}

}  // namespace

bool read_runs_head(ByteReader& in, std::size_t n, RunsHead* head) {
  const std::uint64_t count = in.get_varint();
  if (!in.ok() || count == 0 || count > n) return false;
  head->count = count;
  head->repeats = read_sized(in);
  return in.ok();
}

bool read_repeats(const RunsHead& head, std::size_t n, std::span<std::uint64_t> repeats) {
  ByteReader in(head.repeats.data(), head.repeats.size());
  if (!decode_ints(in, kTypeU32, head.count, 1, repeats.data()) || !in.at_end()) return false;
  std::size_t all = head.count;
  for (const std::uint64_t more : repeats) all += more;  // small: no overflow
  return all == n;
}

const StringCodec kStringRunsCodec{
    .id = CodecId::kStringRuns,
    .name = "string_runs",
    .may_be_within = kAnywhere & ~within_bit(CodecId::kStringRuns),
    .form = ColumnForm::kRuns,
    .trial = {.stage = CodecStage::kWholes,
              .known = trial_of,
              .share = 16,  // few strings that come again and again have small indices anyway
              .fits = may_repeat},
    .encode = encode,
    .decode = decode,
    .open = open};

}  // namespace steno::format
