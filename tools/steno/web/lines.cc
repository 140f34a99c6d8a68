// /api/lines: records, a page at a time. Where a page ends, its cursor says; so nothing is kept between two pages.
#include <algorithm>

#include "output/chosen_blocks.h"
#include "reader/message.h"
#include "web/answers.h"
#include "web/line_json.h"
#include "web/take_number.h"

namespace steno::cli::web {
namespace {

using query::RecordRef;
using query::TimeOrder;

constexpr std::size_t kMostLines = 2000;
constexpr std::size_t kShortText = std::size_t{16} << 10;
constexpr std::size_t kWholeText = std::size_t{16} << 20;
constexpr std::uint64_t kMostSlowest = 10'000;
constexpr std::size_t kAnswerBytes = std::size_t{64} << 20;  // after which a page ends, however few lines it has

// "WALL.BEGAN.FILE.BLOCK.RECORD": the record after which the next page begins.
std::string cursor_of(const RecordRef& ref) {
  std::string cursor = std::to_string(ref.wall) + "." + std::to_string(ref.began);
  for (const std::uint32_t number : {ref.file, ref.block, ref.record}) cursor += "." + std::to_string(number);
  return cursor;
}

RecordRef ref_of_cursor(std::string_view text) {
  RecordRef ref;
  if (!take_number(&text, '.', &ref.wall) || !take_number(&text, '.', &ref.began) ||
      !take_number(&text, '.', &ref.file) || !take_number(&text, '.', &ref.block) ||
      !take_number(&text, '.', &ref.record) || !text.empty()) {
    throw Refused(400, "cursor: write the 'next' of an answer");
  }
  return ref;
}

struct Page {
  std::vector<RecordRef> refs;
  std::string next;        // empty: the last one
  std::uint64_t skip = 0;  // slowest: how many came before
};

Page page_in_order(const Asked& asked, TimeOrder order, std::size_t limit) {
  std::optional<RecordRef> beyond;
  if (asked.has("cursor")) beyond = ref_of_cursor(asked.text("cursor"));
  Page page;
  page.refs = query::find_in_order(asked.subject(), order, limit + 1, beyond).records;
  if (page.refs.size() <= limit) return page;
  page.refs.resize(limit);
  page.next = cursor_of(page.refs.back());
  return page;
}

// The cursor is how many came before.
Page page_of_slowest(const Asked& asked, std::size_t limit) {
  if (asked.text("by").empty()) throw Refused(400, "by: write the name of a field whose greatest values are wanted");
  std::uint64_t skip = 0;
  std::string_view cursor;
  const std::string given = asked.text("cursor");
  cursor = given;
  if (!given.empty() && (!take_number(&cursor, '.', &skip) || !cursor.empty() || skip > kMostSlowest)) {
    throw Refused(400, "cursor: write the 'next' of an answer");
  }
  query::Statement all = query::all_statements(asked.logs());
  const query::ArgumentOf argument = or_refuse(query::find_argument(all, asked.text("by"), query::Units::kTimes));
  all.require(argument);
  query::Subject subject = asked.subject();
  subject.statement = &all;
  Page page;
  page.skip = skip;
  page.refs = or_refuse(query::find_greatest(subject, argument, skip + limit + 1)).records;
  page.refs.erase(page.refs.begin(), page.refs.begin() + static_cast<std::ptrdiff_t>(std::min(skip, page.refs.size())));
  if (page.refs.size() <= limit) return page;
  page.refs.resize(limit);
  if (skip + limit <= kMostSlowest) page.next = std::to_string(skip + limit);
  return page;
}

query::Expression is_number(query::Field field, std::uint64_t value) {
  query::Condition condition;
  condition.field = field;
  condition.comparison = query::Comparison::kEqual;
  condition.constant = query::Constant::of_integer(static_cast<text::Int128>(value));
  return query::Expression::of(std::move(condition));
}

query::Expression is_text(query::Field field, const std::string& text) {
  query::Condition condition;
  condition.field = field;
  condition.comparison = query::Comparison::kEqual;
  condition.constant = query::Constant::of_text(text);
  return query::Expression::of(std::move(condition));
}

// The next `n` records of a session behind one of its own. Others may have its host and its numbers, but not its id.
std::vector<RecordRef> next_of_session(const query::Subject& subject, const reader::Session& session, TimeOrder order,
                                       std::size_t n, const RecordRef& own) {
  std::vector<RecordRef> next;
  std::optional<RecordRef> beyond = own;
  for (std::size_t batch = n; next.size() < n; batch = std::min(2 * batch, kMostLines)) {
    const std::vector<RecordRef> found = query::find_in_order(subject, order, batch, beyond).records;
    for (const RecordRef& ref : found) {
      const reader::LogFile& file = *subject.logs->files()[ref.file];
      const format::SessionBlock& info = file.sessions()[file.blocks()[ref.block].session]->info;
      if (info.session_id == session.info.session_id && info.host == session.info.host) next.push_back(ref);
    }
    if (found.size() < batch) break;
    beyond = found.back();
  }
  next.resize(std::min(next.size(), n));
  return next;
}

// The records of the same thread before and after one, whatever else is asked for.
Page page_around(const Asked& asked, std::size_t limit) {
  const auto ref = find_record(asked.logs(), asked.text("around"));
  if (!ref) throw Refused(404, "around: the log has no record '" + asked.text("around") + "' (any more)");
  const reader::LogFile& file = *asked.logs().files()[ref->file];
  const reader::BlockEntry& entry = file.blocks()[ref->block];
  const reader::Session& session = *file.sessions()[entry.session];
  const reader::RunEntry& run = run_of(file, entry, ref->record);
  const query::Predicate of_thread(
      query::Expression::all_of(
          {is_number(query::Field::kTid, session.dictionary.thread(run.thread, entry.offset)->info.tid),
           is_number(query::Field::kPid, session.info.pid), is_text(query::Field::kHost, session.info.host)}),
      asked.logs());
  query::Subject subject;
  subject.logs = &asked.logs();
  subject.predicate = &of_thread;
  subject.meter = asked.meter();
  Page page;
  page.refs = next_of_session(subject, session, TimeOrder::kNewest, limit / 2, *ref);
  std::reverse(page.refs.begin(), page.refs.end());
  page.refs.push_back(*ref);
  const auto after = next_of_session(subject, session, TimeOrder::kOldest, (limit - 1) / 2, *ref);
  page.refs.insert(page.refs.end(), after.begin(), after.end());
  return page;
}

Page page_of(const Asked& asked, std::size_t limit) {
  if (asked.has("around")) return page_around(asked, limit);
  if (asked.has("id")) {
    const auto ref = find_record(asked.logs(), asked.text("id"));
    if (!ref) throw Refused(404, "id: the log has no record '" + asked.text("id") + "' (any more)");
    return {{*ref}, ""};
  }
  const std::string order = asked.text("order");
  if (order == "slowest") return page_of_slowest(asked, limit);
  if (order.empty() || order == "oldest") return page_in_order(asked, TimeOrder::kOldest, limit);
  if (order == "newest") return page_in_order(asked, TimeOrder::kNewest, limit);
  throw Refused(400, "order: write oldest, newest or slowest");
}

}  // namespace

std::vector<std::string> lines_of(const Asked& asked, const std::vector<RecordRef>& refs, std::size_t most_bytes) {
  std::vector<std::string> lines(refs.size());
  std::vector<reader::DecodeFailure> failures;
  LineJson format(most_bytes);
  visit_chosen(
      asked.logs(), refs,
      [&](std::size_t i, const reader::Slice& slice) {
        if (asked.meter() != nullptr) asked.meter()->check();
        Json line;
        format.append(slice, &line);
        lines[i] = line.take();
      },
      &failures);
  return lines;
}

std::vector<std::string> messages_of(const Asked& asked, const std::vector<RecordRef>& refs) {
  std::vector<std::string> messages(refs.size());
  std::vector<reader::DecodeFailure> failures;
  lines::ValueRow row;
  ByteBuffer text;
  visit_chosen(
      asked.logs(), refs,
      [&](std::size_t i, const reader::Slice& slice) {
        text.clear();
        reader::append_message(slice.block->group(slice.begin), row.of(slice, slice.begin), text);
        messages[i].assign(reinterpret_cast<const char*>(text.data()), text.size());
      },
      &failures);
  return messages;
}

void answer_lines(const Asked& asked, Json* out) {
  const std::size_t limit = asked.number("limit", 200, 1, kMostLines);
  Page page = page_of(asked, limit);
  const std::vector<std::string> lines = lines_of(asked, page.refs, asked.has("id") ? kWholeText : kShortText);
  std::size_t bytes = 0;
  out->begin('{').name("lines").begin('[');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;  // damaged
    out->raw(lines[i]);
    bytes += lines[i].size();
    if (bytes < kAnswerBytes || i + 1 == lines.size() || asked.has("around")) continue;
    page.next = asked.text("order") == "slowest" ? std::to_string(page.skip + i + 1) : cursor_of(page.refs[i]);
    break;
  }
  out->end(']').name("next");
  page.next.empty() ? out->null() : out->text(page.next);
  const bool all = !asked.has_condition() && !asked.is_searched() && !asked.has("from") && !asked.has("to");
  out->name("total");
  all ? out->number(asked.log().records()) : out->null();
  out->end('}');
}

}  // namespace steno::cli::web
