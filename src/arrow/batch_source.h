// The batches of a log, one after another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "arrow/batch_data.h"
#include "arrow/batch_fields.h"
#include "arrow/batch_fill.h"
#include "arrow/block_queue.h"
#include "arrow/common_texts.h"
#include "query/filter/block_sites.h"
#include "reader/shared_block.h"
#include "steno/batch.h"
#include "steno/status.h"

namespace steno::arrow {

// Used by one thread at a time. Holds what one block has decoded: some MB, half a GB for the worst of hostile files.
class BatchSource {
 public:
  // Nobody sees the time range of a batch of a stream, nor can views of texts be had from a Batch.
  enum class Use { kBatches, kStream };

  // Errors as LogReader::for_each_batch. `logs` must outlive the result.
  static Result<std::unique_ptr<BatchSource>> make(const reader::LogSet& logs, const BatchOptions& options,
                                                   Use use = Use::kBatches);

  // Counts the blocks of all parts, whichever part this is. Errors as one_schema().
  Result<BatchEstimate> estimate();

  // The one schema of all batches. kInvalidArgument: they have several.
  Result<std::shared_ptr<const Fields>> one_schema();

  using Step = BatchCursor::Step;
  // kBatch: the next one, of at least one row. `*batch` is written again if nobody else holds it. kEnd: there is no
  // more, or status() is not ok.
  Step step(std::shared_ptr<BatchData>* batch);
  // The next batch; false at the end.
  bool next(std::shared_ptr<BatchData>* batch);

  // The fields of those batches of a choice that have the most columns. nullptr: there is no such statement.
  std::shared_ptr<const Fields> fields_of_choice(std::size_t choice);

  BatchProgress progress() const { return {blocks_.size(), blocks_.taken(), blocks_read_}; }

  // Why a ByteSource could not be read: the batches do not have all rows then.
  const Status& status() const { return blocks_.failure(); }
  // Blocks that could not be read. They gave no batch, or none any more.
  const std::vector<reader::DecodeFailure>& failures() const { return failures_; }

 private:
  explicit BatchSource(const reader::LogSet& logs) : logs_(logs), blocks_(logs), texts_(logs) {}

  Status choose_statement(const BatchOptions& options);
  Status choose_several(const BatchOptions& options);
  void find_widest_sites();
  Status make_predicates(const BatchOptions& options);
  Status make_predicate(const std::string& of_choice, std::shared_ptr<const query::Predicate>* out,
                        query::BlockBounds* bounds) const;
  bool is_log() const { return options_.shape == BatchOptions::Shape::kLog; }
  bool has_message(const Fields& fields) const;
  bool needs_records(const Fields& fields) const;
  bool needs_times(const Fields& fields) const;

  query::Verdict verdict_of(const reader::LogFile& file, const reader::BlockEntry& entry,
                            const reader::Site& site) const;
  bool count_block(const reader::LogFile& file, const reader::BlockEntry& entry, std::vector<query::ViewGroup>* groups);
  bool take_counted();
  bool is_told(const Fields& fields) const;
  void select_counted();
  Step open_block();
  Step next_rows();
  bool select_log();
  bool select_group(std::size_t group);
  // Fills keep_ for the group's rows; kAll: it is to be taken as all ones.
  query::Verdict keep_rows(std::size_t group);
  bool fetch(std::span<const std::uint8_t> groups);
  void fail_block();
  void fill(const Selection& selection, std::size_t n, BatchData* batch);
  std::size_t choice_of(const reader::Site& site) const;
  std::shared_ptr<const Fields> fields_of(const reader::Site& site);
  std::shared_ptr<const Fields> fields_in_schema(const reader::Site& site);

  const reader::LogSet& logs_;
  BatchOptions options_;
  bool has_ranges_ = true;  // batches say their time range
  FieldPlan plan_;
  std::optional<query::Statement> statement_;
  std::vector<std::shared_ptr<const query::Predicate>> predicates_;  // one a choice; nullptr: no condition
  std::unordered_map<std::uint32_t, std::uint32_t> choices_;         // by ordinal of a site; empty: there is one
  std::vector<const reader::Site*> widest_sites_;  // one a choice, with the most arguments; nullptr: there is none
  std::shared_ptr<const Fields> one_schema_;
  std::unordered_map<const reader::Site*, std::shared_ptr<const Fields>> schemas_;
  std::unordered_multimap<std::uint64_t, const reader::Site*> distinct_;  // of these, by stable id
  BlockQueue blocks_;
  std::vector<std::size_t> first_session_;  // by file
  std::size_t blocks_read_ = 0;
  bool is_read_ = false;  // the block that is open counts among those

  query::BlockView view_;  // of the block that was taken last
  query::Evaluator evaluator_;
  bool open_ = false;
  std::size_t next_group_ = 0;
  std::size_t session_ = 0;
  std::size_t choice_ = 0;
  std::vector<std::uint8_t> keep_;
  std::vector<std::uint8_t> keep_records_;
  std::vector<std::uint32_t> records_;  // that are wanted, and their rows; the rows again where no column needs records
  std::vector<std::uint32_t> rows_;
  std::size_t at_ = 0;                    // of these, given out
  std::shared_ptr<const Fields> fields_;  // of the site; batches of a stream have one_schema_
  const reader::Site* site_ = nullptr;
  const query::ViewGroup* group_ = nullptr;  // that all of these rows are of; nullptr: several
  std::vector<query::ViewGroup> counted_;    // of the block that was taken last, which is not open
  std::size_t next_counted_ = 0;             // of these, not given out yet
  CommonTexts texts_;
  GroupArguments arguments_;
  MessageColumn messages_;
  std::vector<reader::DecodeFailure> failures_;
};

}  // namespace steno::arrow
