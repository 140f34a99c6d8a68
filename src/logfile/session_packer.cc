#include "logfile/session_packer.h"

#include <algorithm>
#include <utility>

#include "format/packed_session.h"
#include "logfile/declarations.h"

namespace steno::logfile {
namespace {

// A session that takes half of its blocks or more is of another kind.
constexpr std::size_t kWorthIt = 2;
constexpr std::size_t kGoodEnough = 5;  // nothing better is looked for

// `end`: of the file now. Others may have written the model after `file` was opened, or have cut the file short.
bool can_reach(const OutputFile& file, std::uint64_t end, const SessionPacker::Model& model) {
  return model.on_file && model.end <= end && end - model.at < SessionPacker::kReach &&
         file.has(model.at, model.header.data(), model.header.size());
}

// Returns whether a session that is being written becomes this model: its plan holds the model, beside the list.
bool is_coming(const std::shared_ptr<SessionPacker::Model>& model) {
  return !model->on_file && model.use_count() > 1;
}

// Returns whether the model lies in another file of the same path, where sessions can go on to use it. That file may
// have been renamed.
bool is_elsewhere(const OutputFile& file, const SessionPacker::Model& model) {
  return model.on_file && !model.file.is_same_file(file.identity());
}

}  // namespace

SessionPacker::Models& SessionPacker::models_of(const std::string& path) {
  if (files_.size() >= kMostFiles && !files_.contains(path)) files_.clear();
  return files_[path];
}

void SessionPacker::put_first(Models& models, std::shared_ptr<Model> model) {
  std::erase(models, model);
  models.insert(models.begin(), std::move(model));
  if (models.size() > kMostModels) models.pop_back();
}

SessionPacker::Plan SessionPacker::plan(const OutputFile& file, std::span<const std::uint8_t> blocks,
                                        std::uint64_t session_id) {
  Plan plan;
  auto made = std::make_shared<Model>();
  ByteBuffer raised;
  raised.put_bytes(blocks.data(), blocks.size());
  // Others find their place by file positions, which a pipe has not.
  if (file.current_end() == 0 || blocks.size() > kMostSession || !format::raise_version(&raised) ||
      !format::append_bare({raised.data(), raised.size()}, made->bare)) {
    return plan;
  }
  made->session_id = session_id;
  const std::span<const std::uint8_t> bare(made->bare.data(), made->bare.size());

  const std::lock_guard lock(mutex_);
  const std::uint64_t end = file.current_end();  // now: all models that are on file are before it
  Models& models = models_of(file.path());
  std::shared_ptr<Model> similar;  // it is of this kind, and cannot be used
  bool comes = false;
  ByteBuffer packed;
  for (const std::shared_ptr<Model>& model : models) {
    packed.clear();
    if (!format::append_packed_session(packed, session_id, bare, {model->bare.data(), model->bare.size()}) ||
        packed.size() * kWorthIt > blocks.size()) {
      continue;
    }
    if (is_coming(model)) {
      comes = true;
      continue;
    }
    if (!can_reach(file, end, *model)) {
      if (similar == nullptr || is_elsewhere(file, *similar)) similar = model;
      continue;
    }
    if (plan.form == Form::kPacked && packed.size() >= plan.blocks.size()) continue;
    plan.form = Form::kPacked;
    plan.model = model;
    std::swap(plan.blocks, packed);
    if (plan.blocks.size() * kGoodEnough <= blocks.size()) break;
  }
  if (plan.form == Form::kPacked) {
    plan.has_copy = !plan.model->copied && end >= plan.model->page_end;
    if (plan.has_copy) {
      std::swap(plan.blocks, packed);
      plan.blocks.clear();
      format::append_model(plan.blocks, plan.model->session_id, {plan.model->bare.data(), plan.model->bare.size()});
      plan.blocks.put_bytes(packed.data(), packed.size());
    }
    put_first(models, plan.model);
  } else if (comes) {
    return plan;  // the next ones can use it
  } else if (similar != nullptr) {
    if (!is_elsewhere(file, *similar)) std::erase(models, similar);
    plan.form = Form::kModel;
    plan.model = std::move(made);
    plan.model->file = file.identity();
    format::append_model(plan.blocks, session_id, bare);
    std::copy_n(plan.blocks.data(), plan.model->header.size(), plan.model->header.begin());
    put_first(models, plan.model);
  } else {
    put_first(models, std::move(made));
  }
  return plan;
}

void SessionPacker::wrote(const Plan& plan, std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  if (plan.has_copy) plan.model->copied = true;
  if (plan.form != Form::kModel) return;
  plan.model->at = end - plan.blocks.size();
  plan.model->end = end;
  plan.model->page_end = round_up(end, Declarations::kPage);
  plan.model->on_file = true;
}

}  // namespace steno::logfile
