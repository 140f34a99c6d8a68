// strings: their lengths as a column, then their bytes (file.md §9.3).
#include "format/strings/codec.h"
#include "base/scratch.h"

namespace steno::format {
namespace {

bool encode(const StringSource& source, const StringContext& context, ByteBuffer& out) {
  const std::size_t total = encode_lengths(source, context, out);
  append_bytes(source, total, out);
  return true;
}

bool decode(ByteReader& in, std::size_t n, const StringPlace& place, StringArena* arena, std::string_view* out) {
  Scratch::Array<std::uint64_t> codes(Scratch::of_thread(), n);
  std::size_t total = 0;
  if (!decode_lengths(in, codes.span(), &total)) return false;
  const std::uint8_t* bytes = in.take(total);
  if (bytes == nullptr) return false;
  arena->add(StringFacts::of({bytes, total}, place.has_slack(bytes + total)));
  cut_strings(codes.span(), bytes, arena, out);
  return true;
}

std::size_t most_bytes(const OpenedColumn& column) {
  return column.body.remaining();
}

}  // namespace

const StringCodec kRawStringCodec{.id = CodecId::kStrings,
                                  .name = "strings",
                                  .may_be_within = kAnywhere,
                                  .form = ColumnForm::kTexts,
                                  .trial = {.stage = CodecStage::kLast},
                                  .encode = encode,
                                  .decode = decode,
                                  .most_bytes = most_bytes};

}  // namespace steno::format
