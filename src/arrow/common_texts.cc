#include "arrow/common_texts.h"

#include "arrow/text_column.h"

namespace steno::arrow {
namespace {

// visit(text) with the texts of the column that the session's dictionary has, in the order in which they were declared.
template <class Visit>
void for_each_text(const reader::Session& session, Common common, const Visit& visit) {
  switch (common) {
    case Common::kThread:
      for (const reader::Thread& thread : session.dictionary.all_threads()) visit(thread.display());
      return;
    case Common::kLogger:
      for (const reader::Logger& logger : session.dictionary.all_loggers()) visit(logger.info.name);
      return;
    case Common::kProgram:
      return visit(session.info.program);
    case Common::kHost:
      return visit(session.info.host);
    case Common::kFile:
      for (const reader::Site& site : session.dictionary.sites()) visit(site.info().file);
      return;
    case Common::kFunction:
      for (const reader::Site& site : session.dictionary.sites()) visit(site.info().function);
      return;
    case Common::kFormat:
      for (const reader::Site& site : session.dictionary.sites()) visit(site.info().format);
      return;
    default:
      return;
  }
}

}  // namespace

std::int32_t CommonTexts::add(std::string_view text, Column* column) {
  const auto [found, is_new] =
      column->indices.try_emplace(std::string(text), static_cast<std::int32_t>(column->texts.size()));
  if (is_new) column->texts.push_back(&found->first);
  return found->second;
}

CommonTexts::Column& CommonTexts::column(Common common) {
  Column& column = columns_[static_cast<std::size_t>(common)];
  if (column.started) return column;
  column.started = true;
  for (const auto& file : logs_.files()) {
    for (const auto& session : file->sessions()) {
      for_each_text(*session, common, [&](std::string_view text) { add(text, &column); });
    }
  }
  return column;
}

std::int32_t CommonTexts::index_of(Common common, std::string_view text) {
  return add(text, &column(common));
}

std::shared_ptr<const ColumnData> CommonTexts::dictionary(Common common) {
  Column& of = column(common);
  if (of.made != nullptr && of.made->length == of.texts.size()) return of.made;
  auto made = std::make_shared<ColumnData>();
  TextWriter writer(made.get());
  for (const std::string* text : of.texts) {
    append_text(*text, made.get());
    writer.end_value();
  }
  return of.made = std::move(made);
}

}  // namespace steno::arrow
