// symbol strings: a symbol table, the codes of all bytes, then the lengths as a column (file.md §9.3, §9.5).
#include <algorithm>
#include <bit>

#include "format/block.h"
#include "format/known_columns.h"
#include "format/strings/codec.h"
#include "format/strings/symbols/encode.h"
#include "format/strings/symbols/train.h"

namespace steno::format {
namespace {

constexpr std::size_t kLeastBytes = 512;  // of a text: below, a table eats the gain
constexpr std::size_t kMostKnown = 64;    // columns whose symbols are kept
constexpr std::size_t kStretches = 32;    // of which a sample consists
constexpr std::size_t kLeastSample = 512;
constexpr std::size_t kProbe = 8192;    // bytes by which it is seen whether symbols still fit
constexpr std::size_t kLeastTexts = 2;  // a text must be so many times as large as a table that is used again

// Codes must take at most two thirds of the text, their table included: to write random letters, which symbols make a
// little smaller, takes more time than it is worth.
bool pays(std::size_t coded, std::size_t bytes) {
  return coded * 3 <= bytes * 2;
}

// The result of the last column of one argument, or of one part of it.
struct KnownColumn {
  double ratio = 0;  // of the codes to the text; 0: there are no symbols
  std::size_t table_bytes = 0;
  unsigned uses = 0;  // columns that were coded
  Patience patience;
  LearnedSymbols learned;

  void forget() {
    ratio = 0;
    uses = 0;
    patience.forget();
    learned.sampled = 0;
  }
};

struct Symbols {
  SymbolTrainer trainer;
  KnownColumns<KnownColumn, kMostKnown> known;
  ByteBuffer sample;
  ByteBuffer codes;
};

// Takes `size` bytes of a text as stretches that lie apart, and makes as many readable after them as encoders want.
void take_sample(const ByteBuffer& text, std::size_t bytes, std::size_t size, ByteBuffer& sample) {
  sample.clear();
  const std::size_t stretches = std::clamp<std::size_t>(size / 128, 1, kStretches);
  const std::size_t each = size / stretches;
  for (std::size_t k = 0; k < stretches; ++k) {
    const std::size_t at = stretches == 1 ? 0 : (bytes - each) * k / (stretches - 1);
    sample.put_bytes(text.data() + at, each);
  }
  std::memset(sample.reserve(kMaxSymbolSize), 0, kMaxSymbolSize);
}

// Smaller columns are looked at more closely: their tables are small.
std::size_t sample_size(std::size_t bytes) {
  return std::clamp(bytes / 8, std::min(bytes, std::max(kLeastSample, std::min<std::size_t>(bytes / 2, 8192))),
                    SymbolTrainer::kMostSampled);
}

// Returns whether the symbols of the columns before do as well here.
bool still_fits(const KnownColumn& column, const ByteBuffer& text, std::size_t bytes, Symbols& own) {
  if (column.ratio == 0) return false;
  take_sample(text, bytes, std::min(bytes, kProbe), own.sample);
  own.codes.clear();
  column.learned.encoder.encode(own.sample.data(), own.sample.size(), own.codes);
  return static_cast<double>(own.codes.size()) <= 1.15 * column.ratio * static_cast<double>(own.sample.size());
}

// False: symbols would not pay.
bool learn(const ByteBuffer& text, std::size_t bytes, KnownColumn* column, Symbols& own) {
  column->ratio = 0;  // nothing fits if learning fails
  take_sample(text, bytes, sample_size(bytes), own.sample);
  const std::size_t sampled = own.sample.size();
  const std::size_t coded = own.trainer.learn(own.sample.data(), sampled, bytes, &column->learned);
  own.codes.clear();
  put_symbols(column->learned.encoder.table(), own.codes);
  column->table_bytes = own.codes.size();
  column->ratio = static_cast<double>(coded) / static_cast<double>(sampled);
  return pays(static_cast<std::size_t>(column->ratio * static_cast<double>(bytes)) + column->table_bytes, bytes);
}

// Makes the symbols fit. The first columns teach more than later ones. False: they would not pay.
bool prepare(const ByteBuffer& text, std::size_t bytes, KnownColumn* column, Symbols& own) {
  const bool fits = still_fits(*column, text, bytes, own);
  const bool is_large = column->table_bytes * kLeastTexts <= bytes;
  if (fits && is_large && !std::has_single_bit(column->uses)) return true;
  if (!fits || !is_large) column->learned.sampled = 0;
  return learn(text, bytes, column, own);
}

bool give_up(KnownColumn* column) {
  column->ratio = 0;
  column->learned.sampled = 0;
  column->patience.failed();
  return false;
}

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < source.count; ++i) bytes += source.at(i).bytes();
  if (bytes < kLeastBytes || bytes > kMaxPayload) return false;
  auto& own = context.memory->of<Symbols>();
  KnownColumn& column = own.known.of(context.column);
  if (!column.patience.is_due()) return false;
  ByteBuffer& text = context.memory->bytes;
  text.clear();
  append_bytes(source, bytes, text);
  std::memset(text.reserve(kMaxSymbolSize), 0, kMaxSymbolSize);
  if (!prepare(text, bytes, &column, own)) return give_up(&column);

  own.codes.clear();
  column.learned.encoder.encode(text.data(), bytes, own.codes);
  if (!pays(own.codes.size() + column.table_bytes, bytes)) return give_up(&column);
  column.ratio = static_cast<double>(own.codes.size()) / static_cast<double>(bytes);
  column.patience.worked();
  ++column.uses;
  out.put_varint(bytes);
  put_symbols(column.learned.encoder.table(), out);
  out.put_varint(own.codes.size());
  out.put_bytes(own.codes.data(), own.codes.size());
  encode_lengths(source, context, out);
  return true;
}

bool read_text(ByteReader& in, StringArena* arena) {
  const std::uint64_t bytes = in.get_varint();
  SymbolTable table;
  if (bytes > kMaxPayload || !read_symbols(in, &table)) return false;
  const std::uint64_t size = in.get_varint();
  const std::uint8_t* codes = in.take(size);
  // Each byte of the codes stands for a symbol at most: checked before memory is taken.
  if (codes == nullptr || bytes > size * kMaxSymbolSize) return false;
  arena->resize(bytes + kSymbolSlack);
  if (!decode_symbols(table, {codes, size}, bytes, arena->data())) return false;
  arena->resize(bytes);
  arena->add(StringFacts::of({arena->data(), bytes}, true));
  return true;
}

bool read_joined(const OpenedColumn& column, StringArena* arena) {
  ByteReader in = column.body;
  return read_text(in, arena);
}

std::size_t most_bytes(const OpenedColumn& column) {
  return column.body.remaining() * kMaxSymbolSize;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace&, StringArena* arena, std::string_view* out) {
  return read_text(in, arena) && cut_text(in, n, arena, out);
}

}  // namespace

const StringCodec kSymbolStringCodec{.id = CodecId::kSymbolStrings,
                                     .name = "symbol_strings",
                                     .may_be_within = kAnywhere,
                                     .form = ColumnForm::kTexts,
                                     .trial = {.stage = CodecStage::kLast},
                                     .encode = encode,
                                     .decode = decode,
                                     .read_text = read_joined,
                                     .most_bytes = most_bytes};

}  // namespace steno::format
