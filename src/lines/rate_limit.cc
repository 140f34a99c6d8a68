#include "lines/rate_limit.h"

#include <algorithm>

#include "base/nanoseconds.h"
#include "lines/escape.h"
#include "reader/loss_text.h"

namespace steno::lines {
bool RateLimit::takes(const reader::Site& site, std::int64_t time, std::string* counted_before) {
  if (most_ == 0) return true;
  // Records come a little late where several files or threads are followed: those of the second before count with those
  // of this one. An earlier one is of another clock, or of one that was set.
  if (const std::int64_t second = second_of(time); second > second_ || second < second_ - 1) {
    *counted_before += counted();
    statements_.clear();
    second_ = second;
  }
  const wire::SiteInfo& info = site.info();
  // A statement with other fields of context is the same to who reads lines.
  Statement& statement = statements_[info.stable_id != 0 ? info.stable_id : info.id];
  if (++statement.records <= most_) return true;
  if (statement.name.empty()) {
    statement.name =
        info.file.substr(info.file.rfind('/') + 1) + ":" + std::to_string(info.line) + " '" + info.format + "'";
  }
  left_out_ = true;
  return false;
}

std::string RateLimit::counted() {
  if (!left_out_) return {};
  left_out_ = false;
  std::vector<const Statement*> busy;
  for (auto& [id, statement] : statements_) {
    if (statement.records > most_) busy.push_back(&statement);
  }
  std::sort(busy.begin(), busy.end(), [](const Statement* a, const Statement* b) {
    return a->records != b->records ? a->records > b->records : a->name < b->name;
  });
  std::string text;
  for (const Statement* statement : busy) {
    text += "… " + reader::with_commas(statement->records - most_) +
            " more like this in 1 s: " + escaped(statement->name, Escape::kTerminal) + "\n";
  }
  for (auto& [id, statement] : statements_) statement.records = std::min(statement.records, most_);
  return text;
}

}  // namespace steno::lines
