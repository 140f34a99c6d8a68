#include "query/statistics/parts.h"

#include <algorithm>
#include <memory>

#include "base/parallel.h"
#include "query/filter/block_bounds.h"
#include "query/filter/block_sites.h"
#include "query/search/kernels.h"

namespace steno::query {

struct PartWalk::Worker {
  explicit Worker(unsigned n) : number(n) {}

  const unsigned number;
  BlockView view;
  Evaluator evaluator;
  std::vector<std::uint8_t> keep;
  std::vector<BlockRef> failed;
  std::vector<reader::DecodeFailure> failures;
};

PartWalk::PartWalk(const Subject& subject) : subject_(subject), workers_(thread_count()) {
  const auto& files = subject_.logs->files();
  BlockBounds bounds;
  bounds.span = subject_.span;
  for (std::size_t f = 0; f < files.size(); ++f) {
    for (std::size_t b = 0; b < files[f]->blocks().size(); ++b) {
      const reader::BlockEntry& entry = files[f]->blocks()[b];
      if (subject_.meter != nullptr && b % 1024 == 0) subject_.meter->check();
      if (!bounds.may_have(*files[f], entry) || !may_have(*files[f], entry)) continue;
      all_.push_back({static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(b)});
    }
  }
  workers_ = static_cast<unsigned>(std::clamp<std::size_t>(all_.size() / 4, 1, workers_));
}

bool PartWalk::may_have(const reader::LogFile& file, const reader::BlockEntry& entry) const {
  return query::may_have(file, entry, [&](const reader::Site& site) {
    return site_verdict(subject_.statement, subject_.predicate, file, entry, site);
  });
}

std::uint32_t PartWalk::records_of(const BlockRef& ref) const {
  return subject_.logs->files()[ref.file]->blocks()[ref.block].records;
}

void PartWalk::visit_block(Worker& worker, const BlockRef& ref, const Visit& visit) {
  const reader::LogFile& file = *subject_.logs->files()[ref.file];
  const reader::BlockEntry& entry = file.blocks()[ref.block];
  BlockView& view = worker.view;
  Status status = view.open(file, entry);
  for (std::size_t g = 0; status.ok() && g < view.groups().size(); ++g) {
    const ViewGroup& group = view.groups()[g];
    if (subject_.statement != nullptr && !subject_.statement->has(*group.site)) continue;
    Part part{&view, ref.file, ref.block, g, nullptr, group.records, group.records};
    Verdict verdict = Verdict::kAll;
    Predicate::Of bound;
    if (subject_.predicate != nullptr) {
      bound = subject_.predicate->of(*group.site);
      verdict = worker.evaluator.verdict(*bound, view, g);
    }
    if (verdict == Verdict::kNone) continue;
    if (verdict == Verdict::kSome || view.has_repeated()) {
      worker.keep.assign(group.records, 1);
      view.drop_repeated(g, worker.keep);
      if (verdict == Verdict::kSome) worker.evaluator.refine(*bound, view, g, worker.keep);
      part.keep = worker.keep.data();
      part.kept = static_cast<std::uint32_t>(count_kept(worker.keep.data(), worker.keep.size()));
      if (part.kept == group.records) part.keep = nullptr;
    }
    if (part.kept != 0 && view.status().ok()) visit(worker.number, part);
    status = view.status();
  }
  if (status.ok()) return;
  worker.failed.push_back(ref);
  if (auto failure = reader::failure_of(file, entry, status)) worker.failures.push_back(std::move(*failure));
}

void PartWalk::expect(unsigned runs) {
  if (subject_.meter == nullptr) return;
  std::uint64_t records = 0;
  for (const BlockRef& ref : all_) records += records_of(ref);
  subject_.meter->add_total((std::uint64_t{runs} - expected_) * records);  // less, too: modulo 2^64
  expected_ = runs;
}

void PartWalk::run(const Visit& visit) {
  if (expected_ != 0) expect(expected_ - 1);
  run(all_, visit);
}

void PartWalk::run(std::span<const BlockRef> blocks, const Visit& visit) {
  // Blocks that a worker takes at a time: fewer where there are few, so that all end together.
  const std::size_t step = std::clamp<std::size_t>(blocks.size() / (32 * workers_), 1, 4);
  WorkMeter* const meter = subject_.meter;
  for (std::size_t i = 0; meter != nullptr && i < blocks.size(); ++i) meter->add_total(records_of(blocks[i]));
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned n = 0; n < workers_; ++n) workers.push_back(std::make_unique<Worker>(n));
  in_parallel(blocks.size(), step, workers_, [&](unsigned number, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (meter != nullptr) meter->check();
      visit_block(*workers[number], blocks[i], visit);
      if (meter != nullptr) meter->add_done(records_of(blocks[i]));
    }
  });
  failed_.clear();
  failures_.clear();
  for (const auto& worker : workers) {
    failed_.insert(failed_.end(), worker->failed.begin(), worker->failed.end());
    failures_.insert(failures_.end(), worker->failures.begin(), worker->failures.end());
  }
  std::sort(failures_.begin(), failures_.end(), [](const reader::DecodeFailure& a, const reader::DecodeFailure& b) {
    return a.file != b.file ? a.file->path() < b.file->path() : a.damage.offset < b.damage.offset;
  });
}

bool PartWalk::leave_out_failed() {
  if (failed_.empty()) return false;
  std::sort(failed_.begin(), failed_.end());
  const auto failed = [this](const BlockRef& ref) { return std::binary_search(failed_.begin(), failed_.end(), ref); };
  all_.erase(std::remove_if(all_.begin(), all_.end(), failed), all_.end());
  failed_.clear();
  return true;
}

}  // namespace steno::query
