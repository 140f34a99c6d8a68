#include "arrow/batch_source.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <utility>

#include "arrow/united_fields.h"
#include "query/filter/filter.h"
#include "reader/decode_failure.h"

namespace steno::arrow {
namespace {

Status invalid(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}

query::Expression time_before(std::int64_t ns, bool negated) {
  query::Condition condition;
  condition.field = query::Field::kTime;
  condition.comparison = query::Comparison::kLess;
  condition.negated = negated;
  condition.constant = query::Constant::of_integer(ns);
  return query::Expression::of(std::move(condition));
}

Status no_statement(std::uint64_t stable_id) {
  char id[17];
  std::snprintf(id, sizeof id, "%016llx", static_cast<unsigned long long>(stable_id));
  return invalid(std::string("no statement has the stable id ") + id);
}

bool has_same_fields(const reader::Site& a, const reader::Site& b) {
  return a.info().types == b.info().types && a.info().meanings == b.info().meanings &&
         a.argument_names() == b.argument_names();
}

}  // namespace

Result<std::unique_ptr<BatchSource>> BatchSource::make(const reader::LogSet& logs, const BatchOptions& options,
                                                       Use use) {
  if (options.max_rows == 0) return invalid("max_rows must not be 0");
  if (options.part >= options.parts) return invalid("part must be less than parts");
  std::unique_ptr<BatchSource> source(new BatchSource(logs));
  source->options_ = options;
  source->has_ranges_ = use == Use::kBatches;
  source->options_.view_strings &= use == Use::kStream && options.profile == BatchOptions::Profile::kArrow;
  Status status = options.choices.empty() ? source->choose_statement(options) : source->choose_several(options);
  if (status.ok()) status = source->make_predicates(options);
  if (!status.ok()) return status;
  source->find_widest_sites();
  auto plan =
      FieldPlan::make(source->options_, source->statement_ ? source->statement_->sites : query::statements_of(logs));
  if (!plan.ok()) return plan.status();
  source->plan_ = std::move(plan).value();
  if (source->is_log()) source->one_schema_ = source->plan_.fields(nullptr);

  std::size_t sessions = 0;
  std::size_t count = 0;
  for (std::uint32_t f = 0; f < logs.files().size(); ++f) {
    const reader::LogFile& file = *logs.files()[f];
    source->first_session_.push_back(sessions);
    sessions += file.sessions().size();
    for (std::uint32_t b = 0; b < file.blocks().size(); ++b) {
      if (count++ % options.parts == options.part) source->blocks_.add({f, b});
    }
  }
  return source;
}

Status BatchSource::choose_statement(const BatchOptions& options) {
  if (!options.statement.empty()) {
    auto statement = query::find_statement(logs_, options.statement);
    if (!statement.ok()) return statement.status();
    statement_ = std::move(statement).value();
  }
  if (options.stable_id == 0) return {};
  query::Statement chosen;
  for (const reader::Site* site : statement_ ? statement_->sites : query::statements_of(logs_)) {
    if (site->info().stable_id != options.stable_id) continue;
    chosen.format = site->info().format;
    chosen.add(*site);
  }
  if (chosen.sites.empty()) return no_statement(options.stable_id);
  statement_ = std::move(chosen);
  return {};
}

Status BatchSource::choose_several(const BatchOptions& options) {
  if (is_log() || !options.statement.empty() || options.stable_id != 0) {
    return invalid("choices cannot be combined with a statement, a stable id or the whole log");
  }
  std::unordered_map<std::uint64_t, std::uint32_t> wanted;
  for (const BatchOptions::Choice& choice : options.choices) {
    if (!wanted.try_emplace(choice.stable_id, static_cast<std::uint32_t>(wanted.size())).second) {
      return invalid("a statement is chosen twice");
    }
  }
  query::Statement chosen;
  for (const reader::Site* site : query::statements_of(logs_)) {
    const auto found = wanted.find(site->info().stable_id);
    if (found == wanted.end()) continue;
    choices_.emplace(site->ordinal(), found->second);
    chosen.add(*site);
  }
  statement_ = std::move(chosen);
  return {};
}

void BatchSource::find_widest_sites() {
  if (!statement_) return;
  widest_sites_.resize(std::max<std::size_t>(options_.choices.size(), 1));
  for (const reader::Site* site : statement_->sites) {
    const reader::Site*& widest = widest_sites_[choice_of(*site)];
    if (widest == nullptr || site->argument_names().size() > widest->argument_names().size()) widest = site;
  }
}

Status BatchSource::make_predicate(const std::string& of_choice, std::shared_ptr<const query::Predicate>* out,
                                   query::BlockBounds* bounds) const {
  std::vector<query::Expression> all;
  if (options_.since_ns != INT64_MIN) all.push_back(time_before(options_.since_ns, true));
  if (options_.until_ns != INT64_MAX) all.push_back(time_before(options_.until_ns, false));
  query::FilterOptions filter;
  filter.min_level = options_.min_level;
  for (const std::string* where : {&options_.where, &of_choice}) {
    filter.where = *where;
    if (!filter.any()) continue;
    auto expression = query::make_expression(filter, logs_);
    if (!expression.ok()) return expression.status();
    all.push_back(std::move(expression).value());
  }
  if (all.empty()) return {};
  query::Expression whole = query::Expression::all_of(std::move(all));
  *bounds = query::bounds_of(whole);
  *out = std::make_shared<query::Predicate>(std::move(whole), logs_);
  return {};
}

// Choices with the same condition share what is made of it.
Status BatchSource::make_predicates(const BatchOptions& options) {
  std::map<std::string, std::shared_ptr<const query::Predicate>> made;
  std::optional<query::BlockBounds> bounds;  // of any of them
  const auto add = [&](const std::string& where) -> Status {
    const auto [entry, is_new] = made.try_emplace(where);
    if (is_new) {
      query::BlockBounds own;
      if (Status status = make_predicate(where, &entry->second, &own); !status.ok()) return status;
      bounds = bounds ? bounds->or_else(own) : own;
    }
    predicates_.push_back(entry->second);
    return {};
  };
  Status status = options.choices.empty() ? add({}) : Status();
  for (const BatchOptions::Choice& choice : options.choices) {
    if (status.ok()) status = add(choice.where);
  }
  if (bounds) blocks_.limit_to(*bounds);
  blocks_.limit_to(
      [this](const reader::LogFile& file, const reader::BlockEntry& entry) {
        return query::may_have(file, entry, [&](const reader::Site& site) { return verdict_of(file, entry, site); });
      },
      [this](const reader::LogFile& file, const reader::BlockEntry& entry) {
        std::vector<query::ViewGroup> groups;
        return count_block(file, entry, &groups);
      });
  return status;
}

Result<std::shared_ptr<const Fields>> BatchSource::one_schema() {
  if (one_schema_ != nullptr) return one_schema_;
  if (!statement_) return invalid("a stream has one schema: choose a statement");
  auto united = unite_fields(plan_, statement_->sites);
  if (!united.ok()) return united.status();
  return one_schema_ = std::move(united).value();
}

std::size_t BatchSource::choice_of(const reader::Site& site) const {
  const auto found = choices_.find(site.ordinal());
  return found != choices_.end() ? found->second : 0;
}

std::shared_ptr<const Fields> BatchSource::fields_in_schema(const reader::Site& site) {
  std::shared_ptr<const Fields>& fields = schemas_[&site];
  if (fields == nullptr) fields = place_fields(*one_schema_, *plan_.fields(&site));
  return fields;
}

// A statement has a site in each session.
std::shared_ptr<const Fields> BatchSource::fields_of(const reader::Site& site) {
  if (one_schema_ != nullptr) return fields_in_schema(site);
  std::shared_ptr<const Fields>& fields = schemas_[&site];
  if (fields != nullptr) return fields;
  const auto [first, last] = distinct_.equal_range(site.info().stable_id);
  for (auto known = first; known != last; ++known) {
    if (has_same_fields(*known->second, site)) return fields = schemas_.at(known->second);
  }
  const auto made = std::make_shared<Fields>(*plan_.fields(&site));
  made->number = distinct_.size();
  distinct_.emplace(site.info().stable_id, &site);
  return fields = made;
}

std::shared_ptr<const Fields> BatchSource::fields_of_choice(std::size_t choice) {
  const reader::Site* const widest = choice < widest_sites_.size() ? widest_sites_[choice] : nullptr;
  return widest != nullptr ? fields_of(*widest) : nullptr;
}

bool BatchSource::has_message(const Fields& fields) const {
  return std::any_of(fields.fields.begin(), fields.fields.end(),
                     [](const Field& field) { return !field.is_argument && field.common == Common::kMessage; });
}

// Times are decoded for columns of them and for time ranges alone.
bool BatchSource::needs_times(const Fields& fields) const {
  return has_ranges_ || std::any_of(fields.fields.begin(), fields.fields.end(), [](const Field& field) {
           return !field.is_argument &&
                  (field.common == Common::kTime || field.common == Common::kTimeNs || field.common == Common::kTicks);
         });
}

// Returns whether any field depends on which records of the block the rows are: times, runs, messages.
bool BatchSource::needs_records(const Fields& fields) const {
  return needs_times(fields) || std::any_of(fields.fields.begin(), fields.fields.end(), [](const Field& field) {
           return !field.is_argument &&
                  (field.common == Common::kThread || field.common == Common::kTid || field.common == Common::kRing ||
                   field.common == Common::kSequence || field.common == Common::kMessage);
         });
}

void BatchSource::fail_block() {
  const Status why = view_.status().ok() ? Status(StatusCode::kCorrupt, "a column cannot be read") : view_.status();
  if (auto failure = reader::failure_of(view_.file(), view_.entry(), why)) failures_.push_back(std::move(*failure));
  open_ = false;
  records_.clear();
  at_ = 0;
}

// kBatch: the next block is open; kNothing: it cannot be read.
BatchSource::Step BatchSource::open_block() {
  query::BlockRef ref;
  if (!blocks_.next(&ref, &view_)) return Step::kEnd;
  session_ = first_session_[ref.file] + view_.entry().session;
  open_ = view_.status().ok();
  is_read_ = false;
  next_group_ = 0;
  if (open_ && !view_.groups().empty()) return Step::kBatch;
  fail_block();
  return Step::kNothing;
}

query::Verdict BatchSource::keep_rows(std::size_t group) {
  const query::ViewGroup& of = view_.groups()[group];
  if (statement_ && !statement_->has(*of.site)) return query::Verdict::kNone;
  query::Verdict verdict = query::Verdict::kAll;
  query::Predicate::Of bound;
  choice_ = choice_of(*of.site);
  if (const query::Predicate* const predicate = predicates_[choice_].get()) {
    bound = predicate->of(*of.site);
    verdict = evaluator_.verdict(*bound, view_, group);
  }
  if (verdict == query::Verdict::kNone) return verdict;
  if (!std::exchange(is_read_, true)) ++blocks_read_;
  if (verdict == query::Verdict::kAll && !view_.has_repeated()) return verdict;
  keep_.assign(of.records, 1);
  view_.drop_repeated(group, keep_);
  if (verdict == query::Verdict::kSome) evaluator_.refine(*bound, view_, group, keep_);
  return query::Verdict::kSome;
}

// The selected records of all groups. False: none, or the block cannot be read.
bool BatchSource::select_log() {
  const std::size_t groups = view_.groups().size();
  const std::size_t n = view_.entry().records;
  std::vector<std::uint8_t> wanted(groups);
  keep_records_.assign(n, 0);
  for (std::size_t g = 0; g < groups && view_.status().ok(); ++g) {
    const query::Verdict verdict = keep_rows(g);
    if (verdict == query::Verdict::kNone) continue;
    if (verdict == query::Verdict::kAll) keep_.assign(view_.groups()[g].records, 1);
    const std::span<const std::uint32_t> places = view_.records_of(g);
    if (groups > 1 && places.size() != keep_.size()) return false;
    for (std::size_t row = 0; row < keep_.size(); ++row) {
      keep_records_[groups > 1 ? places[row] : row] = keep_[row];
      wanted[g] |= keep_[row];
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    if (keep_records_[i] != 0) records_.push_back(i);
  }
  fields_ = one_schema_;
  site_ = nullptr;
  group_ = view_.groups().size() == 1 ? &view_.groups()[0] : nullptr;
  if (records_.empty() || !view_.status().ok()) return false;
  if (!has_message(*fields_)) return fetch({});
  const std::span<const std::uint32_t> order = view_.order();
  if (order.size() != n) return false;
  std::vector<std::uint32_t> next(groups);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t row = next[groups > 1 ? order[i] : 0]++;
    if (keep_records_[i] != 0) rows_.push_back(row);
  }
  return fetch(wanted);
}

bool BatchSource::select_group(std::size_t group) {
  const query::Verdict verdict = keep_rows(group);
  if (verdict == query::Verdict::kNone) return false;
  const query::ViewGroup& of = view_.groups()[group];
  rows_.resize(of.records);
  std::iota(rows_.begin(), rows_.end(), 0u);
  if (verdict == query::Verdict::kSome) std::erase_if(rows_, [this](std::uint32_t row) { return keep_[row] == 0; });
  records_ = rows_;
  fields_ = fields_of(*of.site);
  site_ = of.site;
  group_ = &of;
  if (view_.groups().size() > 1 && needs_records(*fields_)) {
    const std::span<const std::uint32_t> places = view_.records_of(group);
    if (places.size() != of.records) return false;
    for (std::uint32_t& record : records_) record = places[record];
  }
  if (records_.empty() || !view_.status().ok()) return false;
  std::vector<std::uint8_t> wanted(view_.groups().size());
  wanted[group] = 1;
  return arguments_.fetch(view_, group, *fields_, false) && fetch(wanted);
}

// All steps that can fail are done before the first batch of the rows.
bool BatchSource::fetch(std::span<const std::uint8_t> groups) {
  const std::size_t n = view_.entry().records;
  if (needs_times(*fields_) && view_.walls().size() != n) return false;
  if ((is_log() || needs_records(*fields_)) && view_.order().size() != n) return false;
  return !has_message(*fields_) || messages_.start(view_, groups);
}

// Advances to selected rows, at most to the end of a block.
BatchSource::Step BatchSource::next_rows() {
  for (bool is_first = true; is_first || open_; is_first = false) {
    records_.clear();
    rows_.clear();
    at_ = 0;
    if (!open_) {
      if (next_counted_ < counted_.size() || take_counted()) {
        if (next_counted_ == counted_.size()) return Step::kNothing;
        select_counted();
        return Step::kBatch;
      }
      if (const Step opened = open_block(); opened != Step::kBatch) return opened;
    }
    const bool last = is_log() || next_group_ + 1 == view_.groups().size();
    const bool some = is_log() ? select_log() : select_group(next_group_++);
    if (!some && (!view_.status().ok() || !records_.empty())) {
      fail_block();
      continue;
    }
    open_ = !last;
    if (some) return Step::kBatch;
    records_.clear();
  }
  return Step::kNothing;
}

void BatchSource::fill(const Selection& selection, std::size_t n, BatchData* batch) {
  const std::vector<Field>& fields = fields_->fields;
  const Selection part = selection.first(n);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].is_argument) {
      arguments_.fill(fields[i], part.rows, &batch->columns[i]);
    } else if (fields[i].common != Common::kMessage) {
      fill_common(fields[i].common, part, texts_, &batch->columns[i]);
    }
  }
  if (has_ranges_) {
    const std::span<const std::int64_t> walls = view_.walls();
    batch->min_time = batch->max_time = walls[part.records[0]];
    for (const std::uint32_t record : part.records) {
      batch->min_time = std::min(batch->min_time, walls[record]);
      batch->max_time = std::max(batch->max_time, walls[record]);
    }
  }
  batch->rows = n;
  batch->session = session_;
  batch->choice = choice_;
  batch->site = site_;
}

bool BatchSource::next(std::shared_ptr<BatchData>* batch) {
  for (;;) {
    const Step done = step(batch);
    if (options_.progress && !options_.progress(progress())) return false;
    if (done != Step::kNothing) return done == Step::kBatch;
  }
}

BatchSource::Step BatchSource::step(std::shared_ptr<BatchData>* batch) {
  if (at_ == records_.size()) {
    if (const Step found = next_rows(); found != Step::kBatch) return found;
  }
  if (*batch == nullptr || (*batch)->exported) *batch = std::make_shared<BatchData>();
  BatchData& data = **batch;
  data.fields = one_schema_ != nullptr ? one_schema_ : fields_;
  data.columns.resize(fields_->fields.size());
  for (ColumnData& column : data.columns) column.clear();

  std::size_t n = std::min<std::size_t>(records_.size() - at_, options_.max_rows);
  Selection selection{&view_, std::span(records_).subspan(at_), {}, session_, group_};
  if (!rows_.empty()) selection.rows = std::span(rows_).subspan(at_);
  if (!is_log() && !selection.rows.empty()) n = arguments_.fitting(*fields_, selection.rows.first(n));
  for (std::size_t i = 0; i < fields_->fields.size(); ++i) {
    const Field& field = fields_->fields[i];
    if (field.is_argument || field.common != Common::kMessage) continue;
    n = messages_.fill(selection.first(n), &data.columns[i]);
  }
  fill(selection, n, &data);
  at_ += n;
  return Step::kBatch;
}

}  // namespace steno::arrow
