#include "lines/text_format.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lines/message_program.h"
#include "lines/record_groups.h"
#include "reader/message.h"

namespace steno::lines {
namespace {

const char* colour_of(Level level) {
  switch (level) {
    case Level::kTrace:
    case Level::kDebug:
      return "\x1b[2m";
    case Level::kInfo:
      return "";
    case Level::kNotice:
      return "\x1b[36m";
    case Level::kWarn:
      return "\x1b[33m";
    case Level::kError:
      return "\x1b[31m";
    case Level::kCritical:
      return "\x1b[1;31m";
  }
  return "";
}

std::string coloured(const std::string& text, Level level) {
  const std::string_view colour = colour_of(level);
  if (colour.empty()) return text;
  std::string result(colour);
  return result.append(text).append("\x1b[0m");
}

std::string padded(std::string text) {
  while (text.size() < 6) text += ' ';
  return text;
}

using text::Cursor;
using text::kCopyStep;
using text::put_steps;

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
    return size_ <= kCopyStep ? put_steps(p, short_, size_) : put_steps(p, long_.data(), size_);
  }

 private:
  char short_[kCopyStep] = {};
  std::size_t size_ = 0;
  std::string long_;  // ends in kCopyStep more bytes
};

// The pattern as it is for one site and logger: literals, which hold all that is fixed, each with the field after it.
struct Op {
  std::uint32_t literal = 0;  // offset in the literals
  std::uint32_t literal_size = 0;
  Field field = Field::kLiteral;
  std::uint32_t argument = 0;
};

struct Program {
  const reader::Logger* logger = nullptr;
  std::vector<Op> ops;
  std::string literals;  // ends in kCopyStep more bytes
  std::size_t room = 0;  // enough for literals and times
  // Of patterns that are time, thread and message, each with a literal before it: how messages are printed many at a
  // time, with the pattern's end.
  std::optional<MessageProgram> messages;
};

// Whether a field is the same for all records of a site and logger, in any pattern.
bool is_fixed(Field field) {
  switch (field) {
    case Field::kLiteral:
    case Field::kLevel:
    case Field::kLevelCode:
    case Field::kPaddedLevel:
    case Field::kFile:
    case Field::kBasename:
    case Field::kLine:
    case Field::kFunction:
    case Field::kFormat:
    case Field::kLogger:
    case Field::kLoggerIfNamed:
      return true;
    default:
      return false;
  }
}

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
  } else if (column.strings != nullptr) {
    __builtin_prefetch(address_of(column.strings, row + kRows));
    __builtin_prefetch(address_of(column.strings[row].data(), kBytes));
  }
}

class TextFormat final : public LineFormat {
 public:
  TextFormat(LineOptions options, std::size_t* together)
      : options_(std::move(options)),
        time_(options_.zone, ' '),
        usual_(is_usual(options_.pattern)),
        count_together_(together) {}

  void append_gap(ByteBuffer& out) override { lines::put(out, "--\n"); }

  void append(std::span<const reader::Slice> slices, ByteBuffer& buffer) override {
    if (!usual_) return append_one_by_one(slices, buffer);
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
    const Program* program = nullptr;
    char* p = out.begin();
    for (std::size_t s = 0; s < slices.size(); ++s) {
      const reader::Slice& slice = slices[s];
      fetch_ahead(slices, s);
      const ThreadText& thread = thread_text(*slice.thread);
      for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
        if (&slice.block->group(i) != group) {
          group = &slice.block->group(i);
          program = &recent.get(group, [&] { return &program_of(*group); });
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

  // Messages by their groups, then lines in order. Returns how many records had their message printed by its group.
  std::size_t append_together(std::span<const reader::Slice> slices, ByteBuffer& buffer) {
    groups_.gather(slices);
    texts_.bytes.clear();
    programs_of_groups_.clear();
    found_.resize(groups_.places().size());
    for (const RecordGroups::Group& group : groups_.groups()) {
      const Program& program = program_of(*group.group);
      programs_of_groups_.push_back(&program);
      MessageText* const found = found_.data() + group.first;
      if (program.messages && group.group->printer != nullptr && !group.group->drops) {
        // The program was compiled from the site's printer, and groups without one have none.
        assert(group.group->printer == group.group->site->printer());
        program.messages->print(group.block->columns(*group.group), groups_.rows(group), texts_, found);
      } else {
        std::fill(found, found + group.count, MessageText());
      }
    }
    return append_lines(slices, buffer);
  }

  std::size_t append_lines(std::span<const reader::Slice> slices, ByteBuffer& buffer) {
    Cursor out(buffer);
    const char* const messages = reinterpret_cast<const char*>(texts_.bytes.data());
    const RecordGroups::Place* place = groups_.places().data();
    std::size_t left_out = 0;
    char* p = out.begin();
    for (std::size_t s = 0; s < slices.size(); ++s) {
      const reader::Slice& slice = slices[s];
      fetch_thread_ahead(slices, s);
      const ThreadText& thread = thread_text(*slice.thread);
      for (std::uint32_t i = slice.begin; i < slice.end; ++i, ++place) {
        const Program& program = *programs_of_groups_[place->group];
        const MessageText text = found_[place->at];
        if (text.size == MessageText::kLeftOut) {
          ++left_out;
          p = append_record(slice, i, *groups_.groups()[place->group].group, program, thread, p, out);
          continue;
        }
        p = out.ensure(p, program.room + thread.room() + text.size + MessageTexts::kSlack);
        const char* const literals = program.literals.data();
        const Op* const ops = program.ops.data();
        p = put_steps(p, literals + ops[0].literal, ops[0].literal_size);
        p = time_.write(slice.block->wall(i), p);
        p = put_steps(p, literals + ops[1].literal, ops[1].literal_size);
        p = thread.put(p);
        p = put_steps(p, literals + ops[2].literal, ops[2].literal_size);
        p = put_text(p, messages + text.begin, text.size);
      }
    }
    out.settle(p);
    return groups_.places().size() - left_out;
  }

  // The programs of groups that came last. For one call: groups do not outlive their blocks.
  class Recent {
   public:
    template <class Make>
    const Program& get(const reader::DecodedGroup* group, Make make) {
      Entry& entry = entries_[reinterpret_cast<std::uintptr_t>(group) / sizeof *group % kEntries];
      if (entry.group != group) entry = {group, make()};
      return *entry.program;
    }

   private:
    static constexpr std::size_t kEntries = 16;
    struct Entry {
      const reader::DecodedGroup* group = nullptr;
      const Program* program = nullptr;
    };
    Entry entries_[kEntries];
  };

  // Where threads alternate, slices are short and far apart: tells the memory what comes next, first what says where
  // the values are, then these.
  [[gnu::always_inline]] void fetch_ahead(std::span<const reader::Slice> slices, std::size_t s) const {
    constexpr std::size_t kFar = 16;
    constexpr std::size_t kNear = 8;
    if (s + kFar < slices.size()) {
      const reader::Slice& slice = slices[s + kFar];
      slice.block->prefetch(slice.begin);
      __builtin_prefetch(&slice.thread->ordinal);
    }
    if (s + kNear < slices.size()) {
      const reader::Slice& slice = slices[s + kNear];
      slice.block->prefetch_values(slice.begin);
      if (slice.thread->ordinal < threads_.size()) __builtin_prefetch(&threads_[slice.thread->ordinal]);
    }
  }

  [[gnu::always_inline]] void fetch_thread_ahead(std::span<const reader::Slice> slices, std::size_t s) const {
    constexpr std::size_t kFar = 16;
    constexpr std::size_t kNear = 8;
    if (s + kFar < slices.size()) __builtin_prefetch(&slices[s + kFar].thread->ordinal);
    if (s + kNear >= slices.size()) return;
    const std::uint32_t ordinal = slices[s + kNear].thread->ordinal;
    if (ordinal < threads_.size()) __builtin_prefetch(&threads_[ordinal]);
  }

  char* append_record(const reader::Slice& slice, std::uint32_t i, const reader::DecodedGroup& group,
                      const Program& program, const ThreadText& thread, char* p, Cursor& out) {
    const std::size_t room = program.room + thread.room();
    p = out.ensure(p, room);
    const char* const literals = program.literals.data();
    const Op* const end = program.ops.data() + program.ops.size();
    for (const Op* op = program.ops.data(); op != end; ++op) {
      p = put_steps(p, literals + op->literal, op->literal_size);
      switch (op->field) {
        case Field::kLiteral:
          break;
        case Field::kTime:
          p = time_.write(slice.block->wall(i), p);
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

  const Program& program_of(const reader::DecodedGroup& group) {
    std::vector<std::unique_ptr<Program>>& programs =
        programs_.get(group.site->ordinal(), [] { return std::vector<std::unique_ptr<Program>>(); });
    for (const auto& program : programs) {
      if (program->logger == group.logger) return *program;
    }
    programs.push_back(std::make_unique<Program>(compile(*group.site, *group.logger)));
    return *programs.back();
  }

  Program compile(const reader::Site& site, const reader::Logger& logger) const {
    Program program;
    program.logger = &logger;
    std::string literal;
    const auto add = [&](Field field) {
      program.ops.push_back(
          {static_cast<std::uint32_t>(program.literals.size()), static_cast<std::uint32_t>(literal.size()), field});
      program.literals += std::exchange(literal, {});
      program.room += field == Field::kTime ? TimeText::kRoom : kCopyStep;
    };
    for (const Piece& piece : options_.pattern) {
      if (append_fixed(piece, site, logger, literal)) continue;
      add(piece.field);
      if (piece.field == Field::kArgument) program.ops.back().argument = *argument_of(site, piece.literal);
    }
    literal += '\n';
    if (usual_ && site.printer() != nullptr) {
      program.messages = MessageProgram::compile(*site.printer(), options_.escape, literal);
    }
    add(Field::kLiteral);
    program.room += program.literals.size() + kCopyStep;
    program.literals.append(kCopyStep, '\0');
    return program;
  }

  static std::optional<std::uint32_t> argument_of(const reader::Site& site, const std::string& name) {
    const std::vector<std::string>& names = site.argument_names();
    const auto found = std::find(names.begin(), names.end(), name);
    const auto index = static_cast<std::uint32_t>(found - names.begin());
    if (site.layout() == nullptr || found == names.end() || site.presences().is_field(index)) return {};
    return index;
  }

  static bool has_context(const reader::Site& site) {
    if (site.layout() == nullptr) return false;
    const std::size_t all = site.layout()->fields.size();
    for (std::size_t i = all - site.info().context.size(); i < all; ++i) {
      if (!site.presences().is_field(i)) return true;
    }
    return false;
  }

  // False: the field differs from record to record.
  bool append_fixed(const Piece& piece, const reader::Site& site, const reader::Logger& logger,
                    std::string& out) const {
    const wire::SiteInfo& info = site.info();
    const std::string level = level_name(info.level);
    switch (piece.field) {
      case Field::kLiteral:
        out += piece.literal;
        return true;
      case Field::kLevel:
        out += options_.colour ? coloured(level, info.level) : level;
        return true;
      case Field::kLevelCode:
        out += options_.colour ? coloured(level.substr(0, 1), info.level) : level.substr(0, 1);
        return true;
      case Field::kPaddedLevel:
        out += options_.colour ? coloured(padded(level), info.level) : padded(level);
        return true;
      case Field::kFile:
        out += escaped(info.file, options_.escape);
        return true;
      case Field::kBasename:
        out += site.known() ? escaped(info.file.substr(info.file.rfind('/') + 1), options_.escape) : "?";
        return true;
      case Field::kLine:
        out += std::to_string(info.line);
        return true;
      case Field::kFunction:
        out += escaped(info.function, options_.escape);
        return true;
      case Field::kFormat:
        out += escaped(info.format, options_.escape);
        return true;
      case Field::kArgument:
        return !argument_of(site, piece.literal);  // nothing, where there is none
      case Field::kContext:
        return !has_context(site);
      case Field::kLogger:
      case Field::kLoggerIfNamed:
        out += escaped(logger.info.name, options_.escape);
        if (piece.field == Field::kLoggerIfNamed && !logger.info.name.empty()) out += ' ';
        return true;
      default:
        return false;
    }
  }

  char* append_message(const reader::Slice& slice, std::uint32_t i, const reader::DecodedGroup& group, char* p,
                       Cursor& out) {
    const std::size_t start = out.size(p);
    const text::Printer* const printer = group.printer;
    if (printer != nullptr && !group.drops) {
      const std::size_t row = slice.block->row(i);
      const text::Column* const columns = slice.block->columns(group);
      for (std::uint32_t c = 0; c < group.columns; ++c) fetch_later_rows(columns[c], row);
      p = printer->print_row(columns, row, p, out);
      if (printer->plain() || is_clean(out.at(start), out.size(p) - start, options_.escape)) return p;
    } else {
      reader::append_message(group, row_.of(slice, i), out.settle(p));
      p = out.begin();
    }
    escape_tail(out.settle(p), start, options_.escape);
    return out.begin();
  }

  // The rarer fields.
  char* append_field(const Op& op, const reader::Slice& slice, std::uint32_t i, const reader::DecodedGroup& group,
                     char* p, Cursor& out) {
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

  const ThreadText& thread_text(const reader::Thread& thread) {
    if (thread.ordinal >= threads_.size())
      threads_.resize(std::max<std::size_t>(2 * threads_.size(), thread.ordinal + 1));
    ThreadText& text = threads_[thread.ordinal];
    if (text.empty()) text.set(escaped(thread.display(), options_.escape));
    return text;
  }

  // Whether what differs from record to record of a site is time, thread and message, in that order.
  static bool is_usual(const std::vector<Piece>& pattern) {
    std::vector<Field> fields;
    for (const Piece& piece : pattern) {
      if (!is_fixed(piece.field)) fields.push_back(piece.field);
    }
    return fields == std::vector<Field>{Field::kTime, Field::kThread, Field::kMessage};
  }

  LineOptions options_;
  TimeText time_;
  const bool usual_;
  std::size_t* const count_together_;
  unsigned batches_apart_ = 0;  // still to come
  RecordGroups groups_;
  MessageTexts texts_;
  std::vector<MessageText> found_;                  // by place among the groups' rows
  std::vector<const Program*> programs_of_groups_;  // of groups_
  ValueRow row_;
  JsonArgs args_;
  PerEntry<std::vector<std::unique_ptr<Program>>> programs_;  // by site, one a logger
  std::vector<ThreadText> threads_;                           // by ordinal
};

}  // namespace

std::unique_ptr<LineFormat> make_text_format(LineOptions options) {
  return make_text_format(std::move(options), nullptr);
}

std::unique_ptr<LineFormat> make_text_format(LineOptions options, std::size_t* together) {
  return std::make_unique<TextFormat>(std::move(options), together);
}

}  // namespace steno::lines
