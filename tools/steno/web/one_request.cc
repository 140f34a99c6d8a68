// /api/request: all lines that share a key, across threads, processes and hosts, and the spans among them.
#include <algorithm>
#include <map>
#include <tuple>

#include "output/chosen_blocks.h"
#include "output/span_records.h"
#include "reader/message.h"
#include "web/answers.h"
#include "web/groups.h"
#include "web/line_json.h"

namespace steno::cli::web {
namespace {

constexpr std::uint64_t kMostLinesOfKey = 5000;
constexpr std::size_t kShortTextOfLine = std::size_t{16} << 10;

struct Span {
  std::uint64_t parent = 0;
  std::string name;
  std::optional<std::int64_t> begin;
  std::optional<std::int64_t> end;
  std::string program;
  std::string host;
  std::string thread;
};

// Program, host, process, tid, thread: the tid, because threads of one process may have one name.
using Bar = std::tuple<std::string, std::string, std::uint32_t, std::uint64_t, std::string>;

struct Request {
  std::map<std::uint64_t, Span> spans;
  std::map<Bar, query::TimeSpan> bars;
};

// Adds what a record says of a span (spec/file.md §5), if it is its begin or its end.
void add_span(const reader::Slice& slice, std::span<const text::Value> values, Request* request) {
  const reader::DecodedGroup& group = slice.block->group(slice.begin);
  const SpanEdge edge = edge_of(*group.site);
  if (edge == SpanEdge::kNone) return;
  const bool begins = edge == SpanEdge::kBegin;
  const std::size_t own = group.site->info().argument_types().size();
  if (values.size() < own + 2) return;
  Span& span = request->spans[values[own].bits];
  span.parent = values[own + 1].bits;
  span.program = slice.block->session().info.program;
  span.host = slice.block->session().info.host;
  span.thread = slice.thread->display();
  (begins ? span.begin : span.end) = slice.block->wall(slice.begin);
  if (!begins && !span.name.empty()) return;
  ByteBuffer message;
  reader::append_message(group, values, message);
  span.name = span_name(edge, {reinterpret_cast<const char*>(message.data()), message.size()});
}

// A field whose values are texts is compared with a text, whatever the value looks like.
std::string filter_of_key(const Asked& asked, const std::string& name, const std::string& value) {
  const query::Statement all = query::all_statements(asked.logs());
  const auto argument = query::find_argument(all, name, query::Units::kTimes);
  const bool number = argument.ok() && std::none_of(argument->types.begin(), argument->types.end(), is_string) &&
                      !value.empty() && value.find_first_not_of("0123456789.-+eE") == std::string::npos;
  if (!number) return filter_of(name, query::Cell::of_text(value));
  std::string filter = filter_of(name, query::Cell::of(0));
  filter.pop_back();
  return filter + value;
}

}  // namespace

void answer_request(const Asked& asked, Json* out) {
  const std::string key = asked.text("key");
  if (key.empty()) throw Refused(400, "key: write the name of a field that the lines share, like request_id");
  if (!asked.has("value")) throw Refused(400, "value: write the value of '" + key + "'");
  const query::Predicate predicate =
      asked.also(condition_of(filter_of_key(asked, key, asked.text("value")), asked.logs()));
  query::Subject subject = asked.subject();
  subject.predicate = &predicate;
  const std::size_t limit = asked.number("limit", 1000, 1, kMostLinesOfKey);
  std::vector<query::RecordRef> refs = query::find_in_order(subject, query::TimeOrder::kOldest, limit + 1).records;
  const bool more = refs.size() > limit;
  if (more) refs.resize(limit);

  Request request;
  std::vector<reader::DecodeFailure> failures;
  lines::ValueRow row;
  visit_chosen(
      asked.logs(), refs,
      [&](std::size_t, const reader::Slice& slice) {
        add_span(slice, row.of(slice, slice.begin), &request);
        const format::SessionBlock& session = slice.block->session().info;
        const Bar of = {session.program, session.host, session.pid, slice.thread->info.tid, slice.thread->display()};
        query::TimeSpan& bar = request.bars.try_emplace(of, query::TimeSpan{INT64_MAX, INT64_MIN}).first->second;
        bar.first = std::min(bar.first, slice.block->wall(slice.begin));
        bar.last = std::max(bar.last, slice.block->wall(slice.begin));
      },
      &failures);
  out->begin('{').name("lines").begin('[');
  for (const std::string& line : lines_of(asked, refs, kShortTextOfLine)) {
    if (!line.empty()) out->raw(line);
  }
  out->end(']').name("spans").begin('[');
  for (const auto& [id, span] : request.spans) {
    out->begin('{');
    out->name("id").text(std::to_string(id));
    out->name("parent");
    span.parent == 0 ? out->null() : out->text(std::to_string(span.parent));
    out->name("name").text(span.name);
    out->name("begin");
    span.begin ? out->exact(*span.begin) : out->null();
    out->name("end");
    span.end ? out->exact(*span.end) : out->null();
    out->name("program").text(span.program);
    out->name("host").text(span.host);
    out->name("thread").text(span.thread);
    out->end('}');
  }
  out->end(']').name("bars").begin('[');
  for (const auto& [bar, span] : request.bars) {
    out->begin('{');
    out->name("program").text(std::get<0>(bar));
    out->name("host").text(std::get<1>(bar));
    out->name("pid").number(std::get<2>(bar));
    append_cell(query::Cell::of(std::get<3>(bar)), &out->name("tid"));
    out->name("thread").text(std::get<4>(bar));
    out->name("first").exact(span.first);
    out->name("last").exact(span.last);
    out->end('}');
  }
  out->end(']').name("more").boolean(more);
  out->end('}');
}

}  // namespace steno::cli::web
