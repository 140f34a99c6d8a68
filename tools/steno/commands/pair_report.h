// The answer of steno pair, as tables, as JSON and as charts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "options/question.h"
#include "output/table.h"
#include "query/statistics/pair.h"

namespace steno::cli {

struct PairOptions {
  QuestionOptions question;
  std::vector<std::string> keys;  // "id", "id=order_id"
  std::vector<std::string> same;  // fields
  std::vector<std::string> by;
  bool nearest = false;
  bool spans = false;
  bool lines = false;
  bool plot = false;
  std::string svg;
  std::int64_t above = INT64_MIN;
  std::optional<std::size_t> slowest;
  std::uint64_t memory = std::uint64_t{1} << 30;
};

// Makes keys texts that programs would round: of JSON. `all`: those that they would not round too.
void make_ids_texts(bool all, query::PairAnswer* answer);

// Says on standard error where the answer may not be what was meant. `advice`: how to tell apart pairs whose keys
// repeat; nullptr: that they do is no surprise. `shifted`: somebody has said how far the clocks of hosts are apart.
void explain_pairs(const query::PairAnswer& answer, const char* advice, bool shifted);

// All that it is made of must outlive it.
class PairReport {
 public:
  PairReport(const query::PairAnswer& answer, const query::PairQuestion& question, const PairOptions& options,
             const TableStyle& style);

  void append(ByteBuffer& out) const;
  // The picture: how many pairs take how long; with groups the p99 of each, over time if that is a key.
  std::string svg() const;

 private:
  Table summary() const;
  Table groups() const;
  Table slowest() const;
  Table alone(const std::vector<query::UnpairedRecord>& examples) const;
  void append_plot(ByteBuffer& out) const;
  void append_json(ByteBuffer& out) const;
  std::string label(const query::PairGroup& group) const;
  std::string heading() const;

  const query::PairAnswer& answer_;
  const query::PairQuestion& question_;
  const PairOptions& options_;
  const TableStyle& style_;
};

}  // namespace steno::cli
