#include "lines/text_format.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "lines/message_program.h"
#include "lines/record_groups.h"
#include "lines/text_program.h"
#include "reader/message.h"
#include "text/string_shapes.h"

namespace steno::lines {
namespace {

using text::Cursor;

// A thread's name, ready to be copied; in place if it is short, so that fetching it is one look at memory.
class ThreadText {
 public:
  void set(std::string text) {
    size_ = text.size();
    long_ = std::move(text);
    long_.append(kCopyStep, '\0');
    if (size_ <= kCopyStep) std::memcpy(short_, long_.data(), size_);
  }
  bool empty() const { return long_.empty(); }
  std::size_t room() const { return size_ + kCopyStep; }
  char* put(char* p) const {
    std::memcpy(p, short_, kCopyStep);
    return size_ <= kCopyStep ? p + size_ : put_steps(p, long_.data(), size_);
  }

 private:
  char short_[kCopyStep] = {};
  std::size_t size_ = 0;
  std::string long_;  // ends in kCopyStep more bytes
};

// It may lie beyond the end of the array.
template <class T>
const void* address_of(const T* array, std::size_t index) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(array) + index * sizeof(T));
}

// Records of many statements take turns, and each reads its own columns row by row: more streams than processors see.
// Tells the memory what a column's later rows will ask for; nothing is read beyond its end.
[[gnu::always_inline]] inline void fetch_later_rows(const text::Column& column, std::size_t row) {
  constexpr std::size_t kRows = 16;
  constexpr std::size_t kBytes = 256;  // of texts, which mostly lie one after the other
  if (column.mask == 0) return;
  if (column.ints != nullptr) {
    __builtin_prefetch(address_of(column.ints, row + kRows));
  } else if (column.codes != nullptr) {
    __builtin_prefetch(address_of(column.codes, row + kRows));
  } else if (column.strings != nullptr) {
    __builtin_prefetch(address_of(column.strings, row + kRows));
    __builtin_prefetch(address_of(column.strings[row].data(), kBytes));
  }
}

class TextFormat final : public LineFormat {
 public:
  TextFormat(LineOptions options, std::size_t* together)
      : options_(std::move(options)),
        time_(options_.zone, ' ', options_.times),
        programs_(options_),
        count_together_(together) {
    for (const Piece& piece : options_.pattern) {
      shows_origin_ |= piece.field == Field::kOriginAndThread;
      if (piece.field == Field::kStyledTime) styled_times_.emplace_back(options_.zone, ' ', piece.times);
    }
  }

  // Fields of context at the end of lines are read as values, which packed strings have none of.
  bool takes_packed_strings() const override {
    return programs_.is_usual() && options_.pattern.back().field != Field::kContextIfAny;
  }

  void append_gap(ByteBuffer& out) override { lines::put(out, "--\n"); }

  void append(std::span<const reader::Slice> slices, ByteBuffer& buffer) override {
    if (!programs_.is_usual()) return append_one_by_one(slices, buffer);
    for (std::size_t first = 0; first < slices.size();) {
      std::size_t end = first;
      std::size_t records = 0;
      for (; end < slices.size(); ++end) {
        const std::size_t more = slices[end].end - slices[end].begin;
        if (records + more > RecordGroups::kMost) break;
        records += more;
      }
      if (end == first) {
        append_long(slices[end++], buffer);
      } else {
        append_batch(slices.subspan(first, end - first), records, buffer);
      }
      first = end;
    }
  }

 private:
  static constexpr std::size_t kLeastTogether = 16;  // records: fewer are not worth being grouped
  // After a batch of which less than a quarter was printed together, so many batches are not grouped: the next ones
  // are mostly of the same statements, and grouping them would be for nothing.
  static constexpr unsigned kBatchesApart = 64;
  // While a slice is printed, later ones are prefetched: first the positions of their values, then the values.
  static constexpr std::size_t kFar = 16;
  static constexpr std::size_t kNear = 8;

  // RecordGroups::kMost records at most.
  void append_batch(std::span<const reader::Slice> slices, std::size_t records, ByteBuffer& buffer) {
    if (records < kLeastTogether) return append_one_by_one(slices, buffer);
    if (batches_apart_ != 0) {
      --batches_apart_;
      return append_one_by_one(slices, buffer);
    }
    const std::size_t together = append_together(slices, buffer);
    if (together < records / 4) batches_apart_ = kBatchesApart;
    if (count_together_ != nullptr) *count_together_ += together;
  }

  void append_one_by_one(std::span<const reader::Slice> slices, ByteBuffer& buffer) {
    Cursor out(buffer);
    Recent recent;
    const reader::DecodedGroup* group = nullptr;
    const TextProgram* program = nullptr;
    char* p = out.begin();
    for (std::size_t s = 0; s < slices.size(); ++s) {
      const reader::Slice& slice = slices[s];
      fetch_ahead(slices, s);
      const ThreadText& thread = thread_text(slice);
      for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
        if (&slice.block->group(i) != group) {
          group = &slice.block->group(i);
          program = &recent.get(group, [&] { return &programs_.of(*group); });
        }
        p = append_record(slice, i, *group, *program, thread, p, out);
      }
    }
    out.settle(p);
  }

  void append_long(reader::Slice slice, ByteBuffer& buffer) {
    for (const std::uint32_t end = slice.end; slice.begin < end; slice.begin = slice.end) {
      slice.end = slice.begin + std::min<std::uint32_t>(end - slice.begin, RecordGroups::kMost);
      append_batch({&slice, 1}, slice.end - slice.begin, buffer);
    }
  }

  // The common part of the lines of a batch's group, and its messages that come next.
  struct LineGroup {
    const TextProgram* program;
    const MessageText* next;
    const char* before_time;
    const char* before_thread;
    const char* before_message;
    std::uint32_t before_time_size;
    std::uint32_t before_thread_size;
    std::uint32_t before_message_size;
  };

  // Messages by their groups, then lines in order. Returns how many records had their message printed by its group.
  std::size_t append_together(std::span<const reader::Slice> slices, ByteBuffer& buffer) {
    groups_.gather(slices);
    texts_.bytes.clear();
    line_groups_.clear();
    found_.resize(groups_.indices().size());
    for (const RecordGroups::Group& group : groups_.groups()) {
      const TextProgram& program = programs_.of(*group.group);
      MessageText* const found = found_.data() + group.first;
      if (program.messages && group.group->printer != nullptr && !group.group->drops) {
        // The program was compiled from the site's printer, and groups without one have none.
        assert(group.group->printer == group.group->site->printer());
        program.messages->print(group.block->columns(*group.group), groups_.rows(group), texts_, found);
      } else {
        std::fill(found, found + group.count, MessageText());
      }
      const TextProgram::Op* const ops = program.ops.data();
      const char* const literals = program.literals.data();
      line_groups_.push_back({&program, found, literals + ops[0].literal, literals + ops[1].literal,
                              literals + ops[2].literal, ops[0].literal_size, ops[1].literal_size,
                              ops[2].literal_size});
    }
    return append_lines(slices, buffer);
  }

  std::size_t append_lines(std::span<const reader::Slice> slices, ByteBuffer& buffer) {
    Cursor out(buffer);
    const char* const messages = reinterpret_cast<const char*>(texts_.bytes.data());
    const std::uint16_t* index = groups_.indices().data();
    LineGroup* const groups = line_groups_.data();
    std::size_t left_out = 0;
    char* p = out.begin();
    for (std::size_t s = 0; s < slices.size(); ++s) {
      const reader::Slice& slice = slices[s];
      fetch_thread_ahead(slices, s);
      const ThreadText& thread = thread_text(slice);
      for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
        LineGroup& group = groups[*index++];
        const MessageText text = *group.next++;
        if (text.size == MessageText::kLeftOut) {
          ++left_out;
          p = append_record(slice, i, slice.block->group(i), *group.program, thread, p, out);
          continue;
        }
        p = out.ensure(p, group.program->room + thread.room() + text.size + MessageTexts::kSlack);
        if (group.before_time_size != 0) p = put_steps(p, group.before_time, group.before_time_size);
        p = time_.write(slice.block->wall(i), p);
        p = put_mostly<1>(p, group.before_thread, group.before_thread_size);
        p = thread.put(p);
        p = put_mostly<2>(p, group.before_message, group.before_message_size);
        p = put_text(p, messages + text.begin, text.size);
      }
    }
    out.settle(p);
    return groups_.indices().size() - left_out;
  }

  // The programs of groups that came last. For one call: groups do not outlive their blocks.
  class Recent {
   public:
    template <class Make>
    const TextProgram& get(const reader::DecodedGroup* group, Make make) {
      Entry& entry = entries_[reinterpret_cast<std::uintptr_t>(group) / sizeof *group % kEntries];
      if (entry.group != group) entry = {group, make()};
      return *entry.program;
    }

   private:
    static constexpr std::size_t kEntries = 16;
    struct Entry {
      const reader::DecodedGroup* group = nullptr;
      const TextProgram* program = nullptr;
    };
    Entry entries_[kEntries];
  };

  // Where threads alternate, slices are short and far apart: prefetches what comes next, first the positions of the
  // values, then the values.
  [[gnu::always_inline]] void fetch_ahead(std::span<const reader::Slice> slices, std::size_t s) const {
    if (s + kFar < slices.size()) slices[s + kFar].block->prefetch(slices[s + kFar].begin);
    if (s + kNear < slices.size()) slices[s + kNear].block->prefetch_values(slices[s + kNear].begin);
    fetch_thread_ahead(slices, s);
  }

  [[gnu::always_inline]] void fetch_thread_ahead(std::span<const reader::Slice> slices, std::size_t s) const {
    if (s + kFar < slices.size()) __builtin_prefetch(&slices[s + kFar].thread->ordinal);
    if (s + kNear >= slices.size()) return;
    const std::uint32_t ordinal = slices[s + kNear].thread->ordinal;
    if (ordinal < threads_.size()) __builtin_prefetch(&threads_[ordinal]);
  }

  char* append_record(const reader::Slice& slice, std::uint32_t i, const reader::DecodedGroup& group,
                      const TextProgram& program, const ThreadText& thread, char* p, Cursor& out) {
    const std::size_t room = program.room + thread.room();
    p = out.ensure(p, room);
    const char* const literals = program.literals.data();
    const TextProgram::Op* const end = program.ops.data() + program.ops.size();
    for (const TextProgram::Op* op = program.ops.data(); op != end; ++op) {
      p = put_steps(p, literals + op->literal, op->literal_size);
      switch (op->field) {
        case Field::kLiteral:
          break;
        case Field::kTime:
          p = time_.write(slice.block->wall(i), p);
          break;
        case Field::kStyledTime:
          p = styled_times_[op->argument].write(slice.block->wall(i), p);
          break;
        case Field::kThread:
          p = thread.put(p);
          break;
        case Field::kMessage:
          p = out.ensure(append_message(slice, i, group, p, out), room);
          break;
        default:
          p = out.ensure(append_field(*op, slice, i, group, p, out), room);
          break;
      }
    }
    return p;
  }

  char* append_message(const reader::Slice& slice, std::uint32_t i, const reader::DecodedGroup& group, char* p,
                       Cursor& out) {
    const std::size_t start = out.size(p);
    const text::Printer* const printer = group.printer;
    if (printer != nullptr && !group.drops) {
      const std::size_t row = slice.block->row(i);
      const text::Column* const columns = slice.block->columns(group);
      for (std::uint32_t c = 0; c < group.columns; ++c) fetch_later_rows(columns[c], row);
      p = printer->print_row(with_whole_strings(columns, group.columns, row), row, p, out);
      if (printer->plain() || is_clean(out.at(start), out.size(p) - start, options_.escape)) return p;
    } else {
      reader::append_message(group, row_.of(slice, i), out.settle(p));
      p = out.begin();
    }
    escape_tail(out.settle(p), start, options_.escape);
    return out.begin();
  }

  // The columns; where some have strings in pieces, copies of them with this row's strings put together.
  const text::Column* with_whole_strings(const text::Column* columns, std::size_t count, std::size_t row) {
    const auto in_pieces = [](const text::Column& column) { return column.shapes != nullptr; };
    if (std::none_of(columns, columns + count, in_pieces)) return columns;
    whole_columns_.assign(columns, columns + count);
    whole_strings_.resize(count);
    if (whole_bytes_.size() < count) whole_bytes_.resize(count);
    for (std::size_t c = 0; c < count; ++c) {
      text::Column& column = whole_columns_[c];
      if (column.shapes == nullptr) continue;
      whole_strings_[c] = text::string_of(*column.shapes, row, whole_bytes_[c]);
      column.shapes = nullptr;
      column.mask = 0;
      column.strings = &whole_strings_[c];
    }
    return whole_columns_.data();
  }

  // The rarer fields.
  char* append_field(const TextProgram::Op& op, const reader::Slice& slice, std::uint32_t i,
                     const reader::DecodedGroup& group, char* p, Cursor& out) {
    ByteBuffer& buffer = out.settle(p);
    switch (op.field) {
      case Field::kTid:
        put(buffer, std::to_string(slice.thread->info.tid));
        break;
      case Field::kArgs:
        args_.append(*group.site, row_.of(slice, i), buffer);
        break;
      case Field::kArgument: {
        const std::size_t start = buffer.size();
        const std::span<const text::Value> values = row_.of(slice, i);
        if (group.site->presences().is_absent(op.argument, values)) {
          put(buffer, "none");
        } else {
          text::print_value(values[op.argument], group.site->meaning(op.argument), buffer);
        }
        escape_tail(buffer, start, options_.escape);
        break;
      }
      case Field::kContext:
        append_context(*group.site, row_.of(slice, i), buffer);
        break;
      case Field::kContextIfAny:
        append_context_if_any(*group.site, row_.of(slice, i), buffer);
        break;
      case Field::kSequence:
        put(buffer, std::to_string(slice.block->sequence(i)));
        break;
      case Field::kPid:
        put(buffer, std::to_string(slice.block->session().info.pid));
        break;
      case Field::kProgram:
        append_text(slice.block->session().info.program, options_.escape, buffer);
        break;
      default:
        append_text(slice.block->session().info.host, options_.escape, buffer);
        break;
    }
    return out.begin();
  }

  void append_context(const reader::Site& site, std::span<const text::Value> values, ByteBuffer& out) const {
    const std::vector<std::string>& names = site.argument_names();
    const std::size_t start = out.size();
    put(out, " [");
    for (std::size_t i = values.size() - site.info().context.size(); i < values.size(); ++i) {
      if (site.presences().is_field(i)) continue;
      if (out.size() != start + 2) put(out, ", ");
      put(out, names[i]);
      put(out, ": ");
      text::print_value(values[i], site.meaning(i), out);
    }
    put(out, "]");
    escape_tail(out, start, options_.escape);
  }

  void append_context_if_any(const reader::Site& site, std::span<const text::Value> values, ByteBuffer& out) {
    const std::vector<std::string>& names = site.argument_names();
    const std::size_t start = out.size();
    for (std::size_t i = first_context(site); i < values.size(); ++i) {
      if (site.presences().is_field(i) || site.presences().is_absent(i, values)) continue;
      put(out, out.size() == start ? " [" : " ");
      put(out, names[i] + "=");
      value_.clear();
      text::print_value(values[i], site.meaning(i), value_);
      append_logfmt_value({reinterpret_cast<const char*>(value_.data()), value_.size()}, out);
    }
    if (out.size() == start) return;
    put(out, "]");
    escape_tail(out, start, options_.escape);
  }

  const ThreadText& thread_text(const reader::Slice& slice) {
    const reader::Thread& thread = *slice.thread;
    if (thread.ordinal >= threads_.size())
      threads_.resize(std::max<std::size_t>(2 * threads_.size(), thread.ordinal + 1));
    ThreadText& text = threads_[thread.ordinal];
    if (text.empty()) text.set(shows_origin_ ? thread_of_process(slice) : escaped(thread.display(), options_.escape));
    return text;
  }

  // "db1 store [worker-3]"
  std::string thread_of_process(const reader::Slice& slice) const {
    const reader::Session& session = slice.block->session();
    std::string text;
    const auto add = [&](bool shown, const std::string& name) {
      if (shown) text.append(session.known ? escaped(name, options_.escape) : "?").append(" ");
    };
    add(options_.origin.host, session.info.host);
    add(options_.origin.program, session.info.program);
    return text.append("[").append(escaped(slice.thread->display(), options_.escape)).append("]");
  }

  LineOptions options_;
  TimeText time_;
  std::vector<TimeText> styled_times_;  // of the pattern, in its order
  TextPrograms programs_;
  std::size_t* const count_together_;
  unsigned batches_apart_ = 0;  // still to come
  RecordGroups groups_;
  MessageTexts texts_;
  std::vector<MessageText> found_;           // by place among the groups' rows
  std::vector<LineGroup> line_groups_;       // of groups_
  std::vector<text::Column> whole_columns_;  // of with_whole_strings()
  std::vector<std::string_view> whole_strings_;
  std::vector<ByteBuffer> whole_bytes_;
  ValueRow row_;
  ByteBuffer value_;
  JsonArgs args_;
  bool shows_origin_ = false;        // the pattern does
  std::vector<ThreadText> threads_;  // by ordinal
};

}  // namespace

std::unique_ptr<LineFormat> make_text_format(LineOptions options) {
  return make_text_format(std::move(options), nullptr);
}

std::unique_ptr<LineFormat> make_text_format(LineOptions options, std::size_t* together) {
  return std::make_unique<TextFormat>(std::move(options), together);
}

}  // namespace steno::lines
