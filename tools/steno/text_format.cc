#include <cstring>

#include "line_format.h"
#include "output.h"
#include "reader/message.h"

namespace steno::cli {
namespace {

struct SiteText {
  std::string file;
  std::string basename;
  std::string line;
  std::string function;
  std::string format;
  std::string level;
  std::string padded_level;
};

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

class TextFormat final : public LineFormat {
 public:
  explicit TextFormat(LineOptions options) : options_(std::move(options)), time_(options_.zone, ' ') {}

  void append(const reader::Slice& slice, std::uint32_t i, ByteBuffer& out) override {
    const reader::DecodedGroup& group = slice.block->group(i);
    const SiteText& site = site_text(*group.site);
    for (const Piece& piece : options_.pattern) append_piece(piece, slice, i, group, site, out);
    out.put('\n');
  }

 private:
  void append_piece(const Piece& piece, const reader::Slice& slice, std::uint32_t i, const reader::DecodedGroup& group,
                    const SiteText& site, ByteBuffer& out) {
    switch (piece.field) {
      case Field::kLiteral:
        return put(out, piece.literal);
      case Field::kTime:
        return time_.append(slice.block->wall(i), out);
      case Field::kLevel:
        return put(out, site.level);
      case Field::kPaddedLevel:
        return put(out, site.padded_level);
      case Field::kLogger:
        return put(out, logger_text(*group.logger));
      case Field::kLoggerIfNamed:
        return append_logger(*group.logger, out);
      case Field::kThread:
        return put(out, thread_text(*slice.thread).name);
      case Field::kTid:
        return put(out, thread_text(*slice.thread).tid);
      case Field::kFile:
        return put(out, site.file);
      case Field::kBasename:
        return put(out, site.basename);
      case Field::kLine:
        return put(out, site.line);
      case Field::kFunction:
        return put(out, site.function);
      case Field::kFormat:
        return put(out, site.format);
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
    }
  }

  void append_logger(const reader::Logger& logger, ByteBuffer& out) {
    const std::string& name = logger_text(logger);
    if (name.empty()) return;
    put(out, name);
    out.put(' ');
  }

  const SiteText& site_text(const reader::Site& site) {
    return sites_.get(site.ordinal(), [&] {
      const wire::SiteInfo& info = site.info();
      SiteText text;
      text.file = escaped(info.file, options_.escape);
      text.basename = text.file.substr(text.file.rfind('/') + 1);
      if (!site.known()) text.basename = "?";
      text.line = std::to_string(info.line);
      text.function = escaped(info.function, options_.escape);
      text.format = escaped(info.format, options_.escape);
      text.level = level_name(info.level);
      text.padded_level = text.level;
      while (text.padded_level.size() < 6) text.padded_level += ' ';
      if (options_.colour) {
        text.level = coloured(text.level, info.level);
        text.padded_level = coloured(text.padded_level, info.level);
      }
      return text;
    });
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
  PerEntry<SiteText> sites_;
  PerEntry<std::string> loggers_;
  PerEntry<ThreadText> threads_;
};

}  // namespace

std::unique_ptr<LineFormat> make_text_format(LineOptions options) {
  return std::make_unique<TextFormat>(std::move(options));
}

}  // namespace steno::cli
