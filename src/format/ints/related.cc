#include "format/ints/related.h"

#include "base/scratch.h"

namespace steno::format {
namespace {

constexpr unsigned kSignedOther = 16;  // in the byte of its type

struct Head {
  Relation relation;
  std::uint64_t column;
  IntType other;
  std::uint64_t start;
};

bool read_head(ByteReader& in, Head* head) {
  const auto relation = in.get<std::uint8_t>();
  head->column = in.get_varint();
  const unsigned type = in.get<std::uint8_t>();
  head->start = static_cast<std::uint64_t>(in.get_signed_varint());
  const unsigned bytes = type & ~kSignedOther;
  if (!in.ok() || relation > static_cast<unsigned>(Relation::kSumWithPrevious)) return false;
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return false;
  head->relation = static_cast<Relation>(relation);
  head->other = {static_cast<std::uint8_t>(bytes), (type & kSignedOther) != 0};
  return true;
}

}  // namespace

void find_rests(Relation relation, const std::uint64_t* values, const std::uint64_t* others, std::size_t n,
                std::uint64_t* rests, std::uint64_t* start) {
  *start = 0;
  switch (relation) {
    case Relation::kOther:
      for (std::size_t i = 0; i < n; ++i) rests[i] = values[i] - others[i];
      return;
    case Relation::kSum:
      for (std::size_t i = 1; i < n; ++i) rests[i] = values[i] - values[i - 1] - others[i];
      *start = values[0] - others[0];
      break;
    case Relation::kSumWithPrevious:
      for (std::size_t i = 1; i < n; ++i) rests[i] = values[i] - values[i - 1] - others[i - 1];
      *start = values[0];
      break;
  }
  // The first rest is as the second, so that all may be the same.
  rests[0] = n > 1 ? rests[1] : 0;
  *start -= rests[0];
}

void append_related(Relation relation, std::size_t column, IntType other, std::span<const std::uint64_t> rests,
                    std::uint64_t start, IntType type, const Zone& zone, IntScratch& scratch, ByteBuffer& out) {
  out.put(static_cast<std::uint8_t>(CodecId::kRelated));
  out.put_bytes(&zone.least, type.bytes);
  out.put_bytes(&zone.greatest, type.bytes);
  out.put(static_cast<std::uint8_t>(relation));
  out.put_varint(column);
  out.put(static_cast<std::uint8_t>(other.bytes | (other.is_signed ? kSignedOther : 0)));
  out.put_signed_varint(static_cast<std::int64_t>(start));
  encode_ints(IntSource::array(rests.data(), rests.size(), kTypeI64), IntHint::kAny, scratch, out);
}

IntsResult read_related(std::span<const std::span<const std::uint8_t>> columns, std::size_t own, IntType type,
                        std::size_t n, std::uint64_t* out) {
  ByteReader in(columns[own].data(), columns[own].size());
  Zone zone;
  Head head;
  if (!read_zone(in, type, n, &zone)) return IntsResult::kDamaged;
  in.take(1 + 2 * std::size_t{type.bytes});
  if (!read_head(in, &head) || head.column >= columns.size() || head.column == own) return IntsResult::kDamaged;
  Scratch::Array<std::uint64_t> others(Scratch::of_thread(), n);
  ByteReader other(columns[head.column].data(), columns[head.column].size());
  if (!decode_ints(other, head.other, n, 1, others.data()) || !other.at_end()) return IntsResult::kDamaged;
  if (!decode_ints(in, kTypeI64, n, 1, out) || !in.at_end()) return IntsResult::kDamaged;
  switch (head.relation) {
    case Relation::kOther:
      for (std::size_t i = 0; i < n; ++i) out[i] += others[i];
      break;
    case Relation::kSum: {
      std::uint64_t value = head.start;
      for (std::size_t i = 0; i < n; ++i) out[i] = value += others[i] + out[i];
      break;
    }
    case Relation::kSumWithPrevious: {
      std::uint64_t value = head.start;
      for (std::size_t i = 0; i < n; ++i) {
        out[i] = value += out[i];
        value += others[i];
      }
      break;
    }
  }
  return cut_to_zone(zone, type, n, out) ? IntsResult::kRead : IntsResult::kOutside;
}

}  // namespace steno::format
