#include "format/ints/source.h"
#include "format/rows.h"

namespace steno::format {
namespace {

// Appends the arguments of one record.
void append_arguments(const wire::Layout& layout, const std::byte* record, ByteBuffer& out) {
  const std::byte* payload = record + layout.fixed_end;
  for (const wire::Field& field : layout.fields) {
    const std::byte* p = record + field.offset;
    if (is_string(field.type)) {
      const auto size = load<std::uint32_t>(p);
      out.put_varint(std::uint32_t{size + 1});  // null wraps to 0
      if (size == kNullString) continue;
      out.put_bytes(payload, size);
      payload += size;
    } else if (fixed_size(field.type) == 16 || IntType::of(field.type).is_float) {
      out.put_bytes(p, fixed_size(field.type));
    } else {
      const IntType type = IntType::of(field.type);
      std::uint64_t v = 0;
      std::memcpy(&v, p, type.bytes);
      if (type.is_signed) {
        out.put_signed_varint(static_cast<std::int64_t>(type.extend(v)));
      } else {
        out.put_varint(v);
      }
    }
  }
}

}  // namespace

void append_run(const Run& run, ByteBuffer& out) {
  out.put_varint(run.thread);
  out.put_varint(run.ring);
  out.put_varint(run.records);
  out.put_varint(run.first_seq);
  out.put_varint(run.end);
}

void append_rows_block(const BlockInput& input, SessionTag session_tag, std::vector<std::uint32_t>& cursors,
                       ByteBuffer& out) {
  const std::size_t start = begin_block(out, BlockType::kRows, session_tag);
  out.put_varint(input.order.size());
  out.put_varint(input.runs.size());
  for (const Run& run : input.runs) append_run(run, out);
  cursors.clear();
  for (const Group& group : input.groups) cursors.push_back(group.first);
  std::uint64_t previous = input.clocks[0];
  out.put(previous);
  for (std::size_t i = 0; i < input.order.size(); ++i) {
    const Group& group = input.groups[input.order[i]];
    out.put_varint(std::uint64_t{group.site} << 1 | (group.logger != 0 ? 1 : 0));
    if (group.logger != 0) out.put_varint(group.logger);
    out.put_signed_varint(static_cast<std::int64_t>(input.clocks[i] - previous));
    previous = input.clocks[i];
    const std::size_t offset = input.offsets[cursors[input.order[i]]++];
    append_arguments(*group.layout, input.base_of(group) + offset * 8, out);
  }
  end_block(out, start);
}

}  // namespace steno::format
