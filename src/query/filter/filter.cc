#include "query/filter/filter.h"

#include <algorithm>

#include "query/filter/block_sites.h"
#include "query/search/kernels.h"

namespace steno::query {
namespace {

class Filter final : public reader::RowFilter {
 public:
  Filter(Expression expression, const reader::LogSet& logs) : predicate_(std::move(expression), logs) {}

  bool may_match(const reader::LogFile& file, const reader::BlockEntry& block) const override {
    BlockView view;
    Evaluator evaluator;
    if (predicate_.is_bound() && !may_have(file, block, [&](const reader::Site& site) {
          return site_verdict(nullptr, &predicate_, file, block, site);
        })) {
      return false;
    }
    if (!view.peek(file, block).ok()) return true;  // whoever decodes it says why it cannot be
    for (std::size_t g = 0; g < view.groups().size(); ++g) {
      const Predicate::Of bound = predicate_.of(*view.groups()[g].site);
      if (evaluator.verdict(*bound, view, g) != Verdict::kNone) return true;
    }
    return false;
  }

  Status select(const reader::DecodedBlock& block, std::span<std::uint8_t> keep) const override {
    BlockView view;
    Evaluator evaluator;
    if (Status status = view.adopt(block); !status.ok()) return status;
    const std::size_t groups = view.groups().size();
    std::vector<std::uint8_t> table(groups);  // for groups that are wanted, or not, as a whole
    std::vector<std::size_t> undecided;
    for (std::size_t g = 0; g < groups; ++g) {
      const Predicate::Of bound = predicate_.of(*view.groups()[g].site);
      const Verdict verdict = evaluator.verdict(*bound, view, g);
      table[g] = verdict == Verdict::kNone ? 0 : 1;
      if (verdict == Verdict::kSome) undecided.push_back(g);
    }
    if (std::count(table.begin(), table.end(), std::uint8_t{0}) != 0) {
      keep_by_code(view.order().data(), keep.size(), table.data(), keep.data());
    }
    for (const std::size_t g : undecided) refine_group(view, evaluator, g, keep);
    return view.status();
  }

 private:
  void refine_group(BlockView& view, Evaluator& evaluator, std::size_t group, std::span<std::uint8_t> keep) const {
    const Predicate::Of bound = predicate_.of(*view.groups()[group].site);
    if (view.groups().size() == 1) return evaluator.refine(*bound, view, group, keep);
    const std::span<const std::uint32_t> records = view.records_of(group);
    std::vector<std::uint8_t> rows(records.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = keep[records[i]];
    evaluator.refine(*bound, view, group, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) keep[records[i]] = rows[i];
  }

  Predicate predicate_;
};

}  // namespace

Result<std::unique_ptr<reader::RowFilter>> make_filter(const FilterOptions& options, const reader::LogSet& logs) {
  auto expression = make_expression(options, logs);
  if (!expression.ok()) return expression.status();
  return std::unique_ptr<reader::RowFilter>(std::make_unique<Filter>(std::move(expression).value(), logs));
}

std::unique_ptr<reader::RowFilter> make_filter(Expression expression) {
  return std::make_unique<Filter>(std::move(expression), reader::LogSet());
}

}  // namespace steno::query
