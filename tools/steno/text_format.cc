#include <cstring>

#include "line_format.h"
#include "output.h"
#include "reader/message.h"

namespace steno::cli {
namespace {

struct ThreadText {
  std::string name;
  std::string tid;
};

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

class TextFormat final : public LineFormat {
 public:
  explicit TextFormat(LineOptions options) : options_(std::move(options)), time_(options_.zone, ' ') {}

  void append(const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) override {
    const reader::DecodedGroup& group = slice.block->group(i);
    for (const Piece& piece : program_of(*group.site)) append_piece(piece, slice, i, group, out);
  }

 private:
  // The pattern with all that is fixed for a site turned into literals.
  using Program = std::vector<Piece>;

  const Program& program_of(const reader::Site& site) {
    return programs_.get(site.ordinal(), [&] {
      Program program;
      std::string literal;
      for (const Piece& piece : options_.pattern) {
        if (append_fixed(piece, site, literal)) continue;
        if (!literal.empty()) program.push_back({Field::kLiteral, std::exchange(literal, {})});
        program.push_back({piece.field, ""});
      }
      literal += '\n';
      program.push_back({Field::kLiteral, literal});
      return program;
    });
  }

  // False: the field differs from record to record.
  bool append_fixed(const Piece& piece, const reader::Site& site, std::string& out) const {
    const wire::SiteInfo& info = site.info();
    const std::string level = level_name(info.level);
    switch (piece.field) {
      case Field::kLiteral:
        out += piece.literal;
        return true;
      case Field::kLevel:
        out += options_.colour ? coloured(level, info.level) : level;
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
      default:
        return false;
    }
  }

  void append_piece(const Piece& piece, const reader::Slice& slice, std::uint32_t i, const reader::DecodedGroup& group,
                    ByteBuffer& out) {
    switch (piece.field) {
      case Field::kTime:
        return time_.append(slice.block->wall(i), out);
      case Field::kLogger:
        return put(out, logger_text(*group.logger));
      case Field::kLoggerIfNamed:
        return append_logger(*group.logger, out);
      case Field::kThread:
        return put(out, thread_text(*slice.thread).name);
      case Field::kTid:
        return put(out, thread_text(*slice.thread).tid);
      case Field::kMessage: {
        const std::size_t start = out.size();
        reader::append_message(group, row_.of(slice, i), out);
        return escape_tail(out, start, options_.escape);
      }
      case Field::kArgs:
        return args_.append(*group.site, row_.of(slice, i), out);
      case Field::kPid:
        return put(out, std::to_string(slice.block->session().info.pid));
      case Field::kProgram:
        return append_text(slice.block->session().info.program, options_.escape, out);
      case Field::kHost:
        return append_text(slice.block->session().info.host, options_.escape, out);
      default:
        return put(out, piece.literal);
    }
  }

  void append_logger(const reader::Logger& logger, ByteBuffer& out) {
    const std::string& name = logger_text(logger);
    if (name.empty()) return;
    put(out, name);
    out.put(' ');
  }

  const std::string& logger_text(const reader::Logger& logger) {
    return loggers_.get(logger.ordinal, [&] { return escaped(logger.info.name, options_.escape); });
  }

  const ThreadText& thread_text(const reader::Thread& thread) {
    return threads_.get(thread.ordinal, [&] {
      return ThreadText{escaped(thread.display(), options_.escape), std::to_string(thread.info.tid)};
    });
  }

  LineOptions options_;
  TimeText time_;
  ValueRow row_;
  JsonArgs args_;
  PerEntry<Program> programs_;
  PerEntry<std::string> loggers_;
  PerEntry<ThreadText> threads_;
};

}  // namespace

std::unique_ptr<LineFormat> make_text_format(LineOptions options) {
  return std::make_unique<TextFormat>(std::move(options));
}

}  // namespace steno::cli
