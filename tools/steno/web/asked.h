// A question of the page, as its parameters say: which records it is about, and what of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/work_meter.h"
#include "query/filter/filter.h"
#include "query/statistics/parts.h"
#include "web/log.h"

namespace steno::cli::web {

using Params = std::multimap<std::string, std::string>;

// Ends a request with a status of HTTP and one sentence.
class Refused final : public std::runtime_error {
 public:
  Refused(int status, const std::string& why) : std::runtime_error(why), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// The value, or 400 with what is wrong.
template <class T>
T or_refuse(Result<T> result) {
  if (!result.ok()) throw Refused(400, result.status().message());
  return std::move(result).value();
}

class Asked {
 public:
  // `log` and `meter` must outlive this. Throws Refused: `from`, `to` or `where` makes no sense.
  Asked(const OpenLog& log, const Params& params, WorkMeter* meter);

  const OpenLog& log() const { return *log_; }
  const reader::LogSet& logs() const { return log_->logs(); }
  // The records of `from`, `to`, `where`, and with `searched` also of `q`.
  query::Subject subject(bool searched = true) const;
  // All conditions of subject(), and one more.
  query::Predicate also(query::Expression condition) const;
  bool is_searched() const { return searched_.has_value(); }
  bool has_condition() const { return has_condition_; }
  // The conditions for readers; nullptr: all records.
  std::unique_ptr<reader::RowFilter> row_filter() const;
  // The times of records that are asked for: within those of the log. Empty: there are none.
  query::TimeSpan span() const { return span_; }

  const Params& params() const { return params_; }
  bool has(const std::string& name) const { return params_.contains(name); }
  // Empty: it is not there.
  std::string text(const std::string& name) const;
  // Throws Refused: it is no whole number, or not within the bounds.
  std::uint64_t number(const std::string& name, std::uint64_t otherwise, std::uint64_t least, std::uint64_t most) const;
  std::optional<std::int64_t> time(const std::string& name) const;
  WorkMeter* meter() const { return meter_; }

 private:
  const OpenLog* log_;
  const Params& params_;
  WorkMeter* meter_;
  query::TimeSpan span_;
  bool has_condition_ = false;
  std::vector<query::Expression> conditions_;
  std::optional<query::Predicate> all_;
  std::optional<query::Predicate> searched_;
};

// Bounds of a time, as a condition.
query::Expression within(const query::TimeSpan& span);

}  // namespace steno::cli::web
