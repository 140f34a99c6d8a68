// The part of SpanWalker for records in a context (ring.md §4.1): it makes them records of statements that have the
// context's fields as well.
#include "base/bytes.h"
#include "base/checksum.h"
#include "drain/span_walker.h"

namespace steno::drain {
namespace {

// Combinations of context fields that a file may have: each makes statements of its own in it. Records in others go
// without.
constexpr std::size_t kMostShapes = 256;
constexpr std::size_t kGatherSlack = 64;  // gathering may read past a record

}  // namespace

// Notes the context that is in force from here on.
void SpanWalker::enter_context() {
  in_context_ = wire::Context::parse(owner_->context, &context_) && !context_.names.empty();
  if (!in_context_ || context_.shape == last_shape_) return;
  last_shape_ = context_.shape;
  ++shape_number_;
  in_context_ = context_shapes_.size() < kMostShapes || context_shapes_.count(last_shape_) != 0;
  if (in_context_) {
    context_shapes_.insert(last_shape_);
  } else {
    last_shape_.clear();
  }
}

bool SpanWalker::learn_context(const std::byte* record, std::size_t size) {
  if (!read_context(record, size, owner_)) return false;
  enter_context();
  return true;
}

SpanWalker::ContextSite* SpanWalker::find_context_site(std::uint32_t id) {
  context_key_.assign(reinterpret_cast<const char*>(&id), sizeof id).append(context_.shape);
  std::unique_ptr<ContextSite>& found = context_sites_[context_key_];
  if (found != nullptr && found->statement != nullptr) return found.get();
  if ((id >= sites_.size() || sites_[id] == nullptr) && !learn_site(id)) return nullptr;
  if (found == nullptr) {
    auto made = std::make_unique<ContextSite>();
    wire::SiteInfo& info = made->info;
    if (!ids_.find_site(id, &info)) return nullptr;
    info.types += context_.types;
    for (const std::string_view name : context_.names) info.context.emplace_back(name);
    if (!wire::Layout::parse(info.types, &made->site.layout)) return nullptr;
    made->site.level = info.level;
    // Whoever carries the session on, after a crash too, should come to the same number.
    info.id = wire::kFirstContextSite | static_cast<std::uint32_t>(xxh3(context_key_.data(), context_key_.size()));
    while (!context_ids_.insert(info.id).second) info.id = wire::kFirstContextSite | (info.id + 1);
    found = std::move(made);
  }
  found->statement = sites_[id].get();
  return found.get();
}

std::uint32_t SpanWalker::find_context_group(std::uint32_t id, std::uint16_t logger, const Site** statement) {
  if (sets_aside_ && is_aside(id)) return kNone;
  ContextSite* const site = find_context_site(id);
  if (site == nullptr) return kNone;
  *statement = site->statement;
  if (!site->written) wire::append_entry(new_entries_, site->info);
  site->written = true;
  const auto known = group_ids_.find(std::uint64_t{site->info.id} << 16 | logger);
  const std::uint32_t group = known != group_ids_.end() ? known->second : add_group(site->info.id, logger, site->site);
  if (id >= recent_in_context_.size()) recent_in_context_.resize(sites_.size());
  recent_in_context_[id] = {epoch_, shape_number_, group, logger, *statement};
  return group;
}

std::string_view SpanWalker::values_of(std::uint32_t context) const {
  const ContextStart& start = context_starts_[context];
  return {reinterpret_cast<const char*>(contexts_.data()) + start.values, start.size};
}

std::uint32_t SpanWalker::context_number() {
  const auto last = static_cast<std::uint32_t>(context_starts_.size());
  if (last != 0 && context_starts_.back().fixed == context_.fixed && values_of(last - 1) == context_.values) {
    return last - 1;
  }
  context_starts_.push_back({records_, contexts_.size(), context_.values.size(), context_.fixed});
  contexts_.put_bytes(context_.values.data(), context_.values.size());
  return last;
}

const std::byte* SpanWalker::walk_in_context(const std::byte* p, const std::byte* end, std::size_t room) {
  const std::uint32_t context = context_number();
  while (p < end && records_ < room && composed_bytes_ < kMaxBytes) {
    const auto word = load<std::uint64_t>(p);
    const auto id = static_cast<std::uint32_t>(word);
    const std::size_t size = (word >> 32 & 0xFFFF) * 8;
    const auto logger = static_cast<std::uint16_t>(word >> 48);
    if (id < wire::kFirstUserSite) break;
    std::uint32_t group = kNone;
    const Site* statement = nullptr;
    const RecentInContext* const recent = id < recent_in_context_.size() ? &recent_in_context_[id] : nullptr;
    if (recent != nullptr && recent->epoch == epoch_ && recent->shape == shape_number_ && recent->logger == logger) {
      group = recent->group;
      statement = recent->statement;
    } else {
      group = find_context_group(id, logger, &statement);
      if (group == kNone) break;
    }
    if (size < statement->layout.fixed_end || size > static_cast<std::size_t>(end - p)) break;
    const std::uint64_t used = statement->payloads.end(p);
    if (used > size) break;
    GroupContext& of_group = group_contexts_[group];
    if (of_group.last != context) {
      of_group.statement = &statement->layout;
      if (of_group.first == kNone) of_group.first = context;
      of_group.last = context;
      of_group.varies = of_group.varies || values_of(of_group.first) != context_.values;
    }
    clocks_.data()[records_] = load<std::uint64_t>(p + 8);
    order_.data()[records_] = group;
    offsets_.data()[records_++] = static_cast<std::uint32_t>((p - base_) / 8);
    ++counts_[group];
    composed_bytes_ += (used + context_.values.size() + 7) / 8 * 8;
    p += size;
  }
  return p;
}

void SpanWalker::compose(const std::byte* record, const wire::Layout& layout, std::uint32_t context) {
  const std::size_t fixed = context_starts_[context].fixed;
  const std::string_view values = values_of(context);
  composed_.put_bytes(record, layout.fixed_end);
  composed_.put_bytes(values.data(), fixed);
  composed_.put_bytes(record + layout.fixed_end, layout.payloads_end(record) - layout.fixed_end);
  composed_.put_bytes(values.data() + fixed, values.size() - fixed);
  composed_.pad_to(8);
}

void SpanWalker::place_contexts(bool apart) {
  bool composes = false;
  (void)contexts_.reserve(kGatherSlack);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    GroupContext& of_group = group_contexts_[g];
    if (of_group.statement == nullptr) continue;
    if (apart && !of_group.varies && counts_[g] >= format::Group::kLeastApart) {
      groups_[g].own_layout = of_group.statement;
      groups_[g].constants = values_of(of_group.first);
    } else {
      composes = of_group.composed = true;
    }
  }
  if (!composes) return;
  std::size_t context = 0;
  for (std::size_t i = 0; i < records_; ++i) {
    while (context + 1 < context_starts_.size() && context_starts_[context + 1].record <= i) ++context;
    const GroupContext& of_group = group_contexts_[order_.data()[i]];
    if (!of_group.composed) continue;
    const std::byte* const record = base_ + std::size_t{offsets_.data()[i]} * 8;
    offsets_.data()[i] = static_cast<std::uint32_t>(composed_.size() / 8);
    compose(record, *of_group.statement, static_cast<std::uint32_t>(context));
  }
  (void)composed_.reserve(kGatherSlack);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (group_contexts_[g].composed) groups_[g].base = reinterpret_cast<const std::byte*>(composed_.data());
  }
}

}  // namespace steno::drain
