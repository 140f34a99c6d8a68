#include "lines/json_format.h"

#include "lines/json_program.h"
#include "lines/json_value.h"
#include "reader/message.h"

namespace steno::lines {
namespace {

class JsonFormat final : public LineFormat {
 public:
  JsonFormat(const LineOptions& options, bool programs, std::size_t* by_program)
      : has_programs_(programs),
        count_by_program_(by_program),
        time_(options.zone, 'T', options.times),
        big_integers_(options.big_integers),
        has_units_(options.units),
        origin_(options.origin),
        args_(options.big_integers) {}

  void append(std::span<const reader::Slice> slices, ByteBuffer& buffer) override {
    text::Cursor out(buffer);
    char* p = out.begin();
    const reader::DecodedGroup* group = nullptr;
    const Statement* statement = nullptr;
    each_record(slices, [&](const reader::Slice& slice, std::uint32_t i) {
      if (&slice.block->group(i) != group) {
        group = &slice.block->group(i);
        statement = &statement_of(*group);
      }
      p = append_record(slice, i, *group, *statement, p, out);
    });
    out.settle(p);
  }

 private:
  // A site with a logger.
  struct Statement {
    const reader::Logger* logger = nullptr;
    std::string before_thread;
    std::string before_message;
    std::string after_arguments;
    std::optional<JsonProgram> program;
  };

  const Statement& statement_of(const reader::DecodedGroup& group) {
    std::vector<std::unique_ptr<Statement>>& known =
        statements_.get(group.site->ordinal(), [] { return std::vector<std::unique_ptr<Statement>>(); });
    for (const auto& statement : known) {
      if (statement->logger == group.logger) return *statement;
    }
    known.push_back(make_statement(*group.site, *group.logger));
    return *known.back();
  }

  std::unique_ptr<Statement> make_statement(const reader::Site& site, const reader::Logger& logger) {
    const wire::SiteInfo& info = site.info();
    auto made = std::make_unique<Statement>();
    made->logger = &logger;
    made->before_thread = std::string("\",\"level\":\"") + level_name(info.level) + "\",\"logger\":\"" +
                          json_escaped(logger.info.name) + "\",\"thread\":\"";
    made->before_message = "\",\"file\":\"" + json_escaped(info.file) + "\",\"line\":" + std::to_string(info.line) +
                           ",\"function\":\"" + json_escaped(info.function) + "\",\"format\":\"" +
                           json_escaped(info.format) + "\",\"message\":\"";
    if (has_units_ && site.layout() != nullptr) made->after_arguments = units_of(site);
    if (has_programs_ && site.layout() != nullptr) {
      made->program = JsonProgram::compile(site, {std::string(kBeforeTime), made->before_thread, made->before_message,
                                                  args_.keys(site), made->after_arguments, big_integers_});
    }
    return made;
  }

  char* append_record(const reader::Slice& slice, std::uint32_t i, const reader::DecodedGroup& group,
                      const Statement& statement, char* p, text::Cursor& out) {
    const std::string& thread = threads_.get(slice.thread->ordinal, [&] { return thread_of(slice); });
    ByteBuffer& buffer = out.settle(p);
    const std::span<const text::Value> none;
    if (statement.program && group.printer != nullptr && !group.drops) {
      const JsonProgram& program = *statement.program;
      const std::size_t start = buffer.size();
      char* const end = program.print({slice.block->columns(group), slice.block->row(i),
                                       program.wants_values() ? row_.of(slice, i) : none, slice.block->wall(i), thread},
                                      time_, p, out);
      if (end != nullptr) {
        if (count_by_program_ != nullptr) ++*count_by_program_;
        return end;
      }
      buffer.truncate(start);
    }
    append_alone(slice, i, group, statement, thread, buffer);
    return out.begin();
  }

  void append_alone(const reader::Slice& slice, std::uint32_t i, const reader::DecodedGroup& group,
                    const Statement& statement, const std::string& thread, ByteBuffer& out) {
    put(out, kBeforeTime);
    time_.append(slice.block->wall(i), out);
    put(out, statement.before_thread);
    put(out, thread);
    put(out, statement.before_message);
    const std::span<const text::Value> values = row_.of(slice, i);
    const std::size_t start = out.size();
    reader::append_message(group, values, out);
    json_escape_tail(out, start);
    put(out, "\",\"args\":");
    args_.append(*group.site, values, out);
    put(out, statement.after_arguments + "}\n");
  }

  // The thread, followed by its process if that is shown, up to the quote after it.
  std::string thread_of(const reader::Slice& slice) const {
    const std::string thread = json_escaped(slice.thread->display());
    if (!origin_.any()) return thread;
    const format::SessionBlock& session = slice.block->session().info;
    return thread + "\",\"pid\":" + std::to_string(session.pid) + ",\"program\":\"" + json_escaped(session.program) +
           "\",\"host\":\"" + json_escaped(session.host);
  }

  // ,"units":{"took":"ms"} of those arguments that have one; else nothing.
  static std::string units_of(const reader::Site& site) {
    std::string units;
    for (std::size_t i = 0; i < site.argument_names().size(); ++i) {
      const text::Meaning* const meaning = site.meaning(i);
      if (meaning == nullptr || !meaning->is_number()) continue;
      units += (units.empty() ? ",\"units\":{\"" : ",\"") + json_escaped(site.argument_names()[i]) + "\":\"" +
               json_escaped(meaning->unit()) + "\"";
    }
    return units.empty() ? units : units + "}";
  }

  static constexpr std::string_view kBeforeTime = "{\"time\":\"";

  const bool has_programs_;
  std::size_t* const count_by_program_;
  TimeText time_;
  const BigIntegers big_integers_;
  const bool has_units_;
  const Origin origin_;
  ValueRow row_;
  JsonArgs args_;
  PerEntry<std::vector<std::unique_ptr<Statement>>> statements_;  // by site, one a logger
  PerEntry<std::string> threads_;
};

}  // namespace

const std::vector<std::string>& JsonArgs::keys(const reader::Site& site) {
  return keys_.get(site.ordinal(), [&] {
    std::vector<std::string> made;
    for (const std::string& name : site.argument_names()) {
      made.push_back((made.empty() ? "{\"" : ",\"") + json_escaped(name) + "\":");
    }
    return made;
  });
}

void JsonArgs::append(const reader::Site& site, std::span<const text::Value> values, ByteBuffer& out) {
  if (values.empty()) return put(out, "{}");
  const std::vector<std::string>& keys = this->keys(site);
  const text::Presences& presences = site.presences();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (presences.is_field(i)) continue;
    put(out, keys[i]);
    if (presences.is_absent(i, values)) {
      put(out, "null");
    } else {
      append_json_value(values[i], site.meaning(i), out, big_integers_);
    }
  }
  out.put('}');
}

std::unique_ptr<LineFormat> make_json_format(const LineOptions& options) {
  return make_json_format(options, true, nullptr);
}

std::unique_ptr<LineFormat> make_json_format(const LineOptions& options, bool programs, std::size_t* by_program) {
  return std::make_unique<JsonFormat>(options, programs, by_program);
}

}  // namespace steno::lines
