// Columns that every record has: of its place in the block, its group, its run, its session.
#include <algorithm>

#include "arrow/batch_fill.h"
#include "arrow/text_column.h"

namespace steno::arrow {
namespace {

template <class T>
T* grow(std::size_t n, ColumnData* out) {
  return reinterpret_cast<T*>(out->values.grow(n * sizeof(T)));
}

template <class T>
void fill_constant(T value, std::size_t n, ColumnData* out) {
  T* p = grow<T>(n, out);
  std::fill(p, p + n, value);
}

// of(group), asked once for each group that is there.
template <class T, class Of>
void fill_by_group(const Selection& selection, ColumnData* out, Of of) {
  const auto& groups = selection.view->groups();
  const std::size_t n = selection.records.size();
  if (selection.group != nullptr) return fill_constant<T>(of(*selection.group), n, out);
  const std::span<const std::uint32_t> order = selection.view->order();
  std::vector<T> values(groups.size());
  std::vector<std::uint8_t> known(groups.size());
  T* p = grow<T>(n, out);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t g = order[selection.records[i]];
    if (known[g] == 0) {
      known[g] = 1;
      values[g] = of(groups[g]);
    }
    p[i] = values[g];
  }
}

// of(run, begin, end, p): the records of the selection that are of the run are its begin-th to end-1-th.
template <class Fill>
void for_each_run(const Selection& selection, Fill fill) {
  const std::span<const std::uint32_t> records = selection.records;
  std::size_t begin = 0;
  for (const reader::RunEntry& run : selection.view->runs()) {
    if (begin == records.size()) break;
    const auto end = static_cast<std::size_t>(
        std::lower_bound(records.begin() + static_cast<std::ptrdiff_t>(begin), records.end(), run.start + run.records) -
        records.begin());
    if (end != begin) fill(run, begin, end);
    begin = end;
  }
}

template <class T, class Of>
void fill_by_run(const Selection& selection, ColumnData* out, Of of) {
  T* p = grow<T>(selection.records.size(), out);
  for_each_run(selection, [&](const reader::RunEntry& run, std::size_t begin, std::size_t end) {
    std::fill(p + begin, p + end, static_cast<T>(of(run)));
  });
}

void fill_levels(const Selection& selection, ColumnData* out) {
  static const std::shared_ptr<const ColumnData> kNames = [] {
    TextDictionary names;
    for (std::size_t i = 0; i < kLevelCount; ++i) names.index_of(level_name(static_cast<Level>(i)));
    names.index_of(level_name(reader::kNoLevel));
    return names.finish();
  }();
  out->dictionary = kNames;
  fill_by_group<std::int32_t>(selection, out, [](const query::ViewGroup& group) {
    const Level level = group.site->info().level;
    return level == reader::kNoLevel ? kLevelCount : static_cast<std::int32_t>(level);
  });
}

template <class TextOf>
void fill_text_by_group(Common common, const Selection& selection, CommonTexts& texts, ColumnData* out,
                        TextOf text_of) {
  fill_by_group<std::int32_t>(selection, out,
                              [&](const query::ViewGroup& group) { return texts.index_of(common, text_of(group)); });
  out->dictionary = texts.dictionary(common);
}

void fill_constant_text(Common common, std::string_view text, std::size_t n, CommonTexts& texts, ColumnData* out) {
  fill_constant<std::int32_t>(texts.index_of(common, text), n, out);
  out->dictionary = texts.dictionary(common);
}

void fill_by_record(Common common, const Selection& selection, ColumnData* out) {
  auto* p = grow<std::uint64_t>(selection.records.size(), out);
  if (common == Common::kTime || common == Common::kTimeNs) {
    const std::span<const std::int64_t> walls = selection.view->walls();
    for (const std::uint32_t record : selection.records) *p++ = static_cast<std::uint64_t>(walls[record]);
  } else if (common == Common::kTicks) {
    const std::span<const std::uint64_t> ticks = selection.view->ticks();
    for (const std::uint32_t record : selection.records) *p++ = ticks[record];
  } else {
    for_each_run(selection, [&](const reader::RunEntry& run, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) p[i] = run.first_seq + (selection.records[i] - run.start);
    });
  }
}

}  // namespace

void fill_common(Common common, const Selection& selection, CommonTexts& texts, ColumnData* out) {
  const query::BlockView& view = *selection.view;
  const std::size_t n = selection.records.size();
  const format::SessionBlock& session = view.session().info;
  out->length = n;
  const auto info = [](const query::ViewGroup& group) -> const wire::SiteInfo& { return group.site->info(); };
  switch (common) {
    case Common::kTime:
    case Common::kTimeNs:
    case Common::kTicks:
    case Common::kSequence:
      return fill_by_record(common, selection, out);
    case Common::kLevel:
      return fill_levels(selection, out);
    case Common::kSeverity:
      return fill_by_group<std::uint8_t>(selection, out,
                                         [&](const auto& g) { return static_cast<std::uint8_t>(info(g).level); });
    case Common::kLine:
      return fill_by_group<std::uint32_t>(selection, out, [&](const auto& g) { return info(g).line; });
    case Common::kStableId:
      return fill_by_group<std::uint64_t>(selection, out, [&](const auto& g) { return info(g).stable_id; });
    case Common::kFile:
      return fill_text_by_group(common, selection, texts, out,
                                [&](const auto& g) -> std::string_view { return info(g).file; });
    case Common::kFunction:
      return fill_text_by_group(common, selection, texts, out,
                                [&](const auto& g) -> std::string_view { return info(g).function; });
    case Common::kFormat:
      return fill_text_by_group(common, selection, texts, out,
                                [&](const auto& g) -> std::string_view { return info(g).format; });
    case Common::kLogger:
      return fill_text_by_group(common, selection, texts, out,
                                [](const auto& g) -> std::string_view { return g.logger->info.name; });
    case Common::kThread:
      fill_by_run<std::int32_t>(selection, out, [&](const reader::RunEntry& run) {
        return texts.index_of(common, view.thread_of(run).display());
      });
      out->dictionary = texts.dictionary(common);
      return;
    case Common::kTid:
      return fill_by_run<std::uint64_t>(selection, out,
                                        [&](const reader::RunEntry& run) { return view.thread_of(run).info.tid; });
    case Common::kRing:
      return fill_by_run<std::uint32_t>(selection, out, [](const reader::RunEntry& run) { return run.ring; });
    case Common::kSession:
      return fill_constant(static_cast<std::uint32_t>(selection.session), n, out);
    case Common::kPid:
      return fill_constant(static_cast<std::uint32_t>(session.pid), n, out);
    case Common::kProgram:
      return fill_constant_text(common, session.program, n, texts, out);
    case Common::kHost:
      return fill_constant_text(common, session.host, n, texts, out);
    case Common::kMessage:
      return;  // MessageColumn's
  }
}

}  // namespace steno::arrow
