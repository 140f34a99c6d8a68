#include "rewrite/batch.h"

#include <algorithm>
#include <cstring>

#include "format/strings/codec.h"
#include "rewrite/text_patterns.h"

namespace steno::cli {

std::uint32_t Batch::group_of(const SiteForm& form, std::uint32_t logger) {
  const auto [found, added] = index_.try_emplace({form.info.id, logger}, static_cast<std::uint32_t>(groups_.size()));
  if (added) groups_.push_back({&form, logger, {}});
  return found->second;
}

void Batch::put_value(const text::Value& value, const SiteForm& form, std::size_t column) {
  const wire::Field& field = form.layout.fields[column];
  const Change change = form.changes.empty() ? Change::kKeep : form.changes[column];
  std::byte* const at = record_.data() + field.offset;
  if (is_string(field.type)) {
    std::string_view text = value.string;
    if (change == Change::kBlank) text = std::string_view("", 0);
    if (change == Change::kText) text = format::kRedacted;
    if (text.data() == format::kMissingString) ++missing_;
    if (change == Change::kMatch) {
      const text::Meaning* const meaning = form.meanings.of(column);
      const bool is_list = meaning != nullptr && meaning->kind() == text::Meaning::Kind::kList;
      if (is_list ? patterns_->replace_in_list(text, *meaning, &changed_)
                  : patterns_->replace(text, field.type, &changed_)) {
        text = changed_;
      }
    }
    const bool is_null = text.data() == nullptr;
    const std::uint32_t length = is_null ? kNullString : static_cast<std::uint32_t>(text.size());
    std::memcpy(at, &length, sizeof length);
    payloads_.append(text);
    return;
  }
  const unsigned size = fixed_size(field.type);
  if (change == Change::kBlank) return;  // zeros are there
  if (change == Change::kMatch && patterns_->matches_number(value)) return;
  if (size == 16) {
    std::memcpy(at, value.wide, 16);
  } else {
    std::memcpy(at, &value.bits, size);  // little-endian
  }
}

void Batch::add(const reader::DecodedBlock& block, std::uint32_t i, const SiteForm& form, std::uint32_t logger,
                const format::Run& run, const std::uint64_t* raw) {
  const reader::DecodedGroup& group = block.group(i);
  record_.assign(form.layout.fixed_end, std::byte{0});
  payloads_.clear();
  const text::Column* const columns = block.columns(group);
  for (std::size_t c = 0; c < form.layout.fields.size(); ++c) {
    const Change change = form.changes.empty() ? Change::kKeep : form.changes[c];
    text::Value value;
    if (change == Change::kKeep || change == Change::kMatch) columns[c].get(block.row(i), &value);
    if ((change == Change::kText || change == Change::kBlank) && patterns_ != nullptr && patterns_->any()) {
      text::Value replaced;
      columns[c].get(block.row(i), &replaced);
      patterns_->note_replaced(
          replaced, group.site->meaning(c),
          change == Change::kText ? &TextPatterns::Found::in_replaced : &TextPatterns::Found::in_secrets);
    }
    if (raw != nullptr) value.bits = raw[c];
    put_value(value, form, c);
  }
  const std::size_t bytes = record_.size() + payloads_.size();
  const std::size_t start = words_.size();
  words_.resize(start + (bytes + 7) / 8);
  wire::Header header;
  header.site = form.info.id;
  header.size8 = static_cast<std::uint16_t>(std::min<std::size_t>((bytes + 7) / 8, UINT16_MAX));
  header.logger = static_cast<std::uint16_t>(logger);
  const std::uint64_t head[2] = {header.pack(), block.ticks(i)};
  std::memcpy(record_.data(), head, sizeof head);
  auto* const out = reinterpret_cast<std::uint8_t*>(words_.data() + start);
  std::memcpy(out, record_.data(), record_.size());
  if (!payloads_.empty()) std::memcpy(out + record_.size(), payloads_.data(), payloads_.size());

  const std::uint32_t number = group_of(form, logger);
  groups_[number].offsets.push_back(static_cast<std::uint32_t>(start));
  order_.push_back(number);
  clocks_.push_back(block.ticks(i));
  format::Run* const last = runs_.empty() ? nullptr : &runs_.back();
  if (last != nullptr && last->ring == run.ring && last->thread == run.thread &&
      last->first_seq + last->records == run.first_seq) {
    ++last->records;
    last->end = run.end;
  } else {
    runs_.push_back(run);
    runs_.back().records = 1;
  }
}

format::BlockInput Batch::input() {
  offsets_.clear();
  inputs_.clear();
  for (const GroupOf& of : groups_) {
    format::Group group;
    group.site = of.form->info.id;
    group.logger = static_cast<std::uint16_t>(of.logger);
    group.level = of.form->info.level;
    group.layout = &of.form->layout;
    group.first = static_cast<std::uint32_t>(offsets_.size());
    group.records = static_cast<std::uint32_t>(of.offsets.size());
    inputs_.push_back(group);
    offsets_.insert(offsets_.end(), of.offsets.begin(), of.offsets.end());
  }
  format::BlockInput input;
  input.base = reinterpret_cast<const std::byte*>(words_.data());
  input.runs = runs_;
  input.groups = inputs_;
  input.order = order_;
  input.clocks = clocks_;
  input.offsets = offsets_;
  return input;
}

void Batch::clear() {
  words_.clear();
  runs_.clear();
  clocks_.clear();
  order_.clear();
  index_.clear();
  groups_.clear();
}

}  // namespace steno::cli
