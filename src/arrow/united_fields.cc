#include "arrow/united_fields.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace steno::arrow {
namespace {

std::string hex_of(std::uint64_t stable_id) {
  char id[17];
  std::snprintf(id, sizeof id, "%016llx", static_cast<unsigned long long>(stable_id));
  return id;
}

std::string place_of(const reader::Site& site) {
  return site.info().file + ":" + std::to_string(site.info().line);
}

bool is_same_column(const Field& a, const Field& b) {
  return a.type == b.type && a.is_context == b.is_context && std::strcmp(a.format, b.format) == 0 &&
         a.meaning_text == b.meaning_text;
}

Status differs(const std::string& name, const reader::Site& a, const reader::Site& b) {
  const std::string places = " of different types at " + place_of(a) + " and at " + place_of(b);
  const std::uint64_t first = a.info().stable_id;
  const std::uint64_t second = b.info().stable_id;
  if (first != second) {
    return {StatusCode::kInvalidArgument, "the statement has arguments" + places + "; choose one by its stable id: " +
                                              hex_of(first) + " or " + hex_of(second)};
  }
  return {StatusCode::kInvalidArgument,
          "the statement has fields '" + name + "'" + places + "; choose columns without it"};
}

class Union {
 public:
  explicit Union(Fields first) : fields_(std::move(first)) {}

  Status add(const Fields& own, const reader::Site& site) {
    std::size_t arguments = 0;
    for (const Field& field : own.fields) {
      if (!field.is_argument) continue;
      const auto [known, is_new] = known_.try_emplace(field.name, Known{fields_.fields.size(), &site, 0});
      if (is_new) fields_.fields.push_back(field);
      Field& to = fields_.fields[known->second.index];
      if (!is_same_column(to, field)) return differs(field.name, site, *known->second.site);
      to.nullable |= field.nullable;
      ++known->second.sites;
      if (!field.is_context) ++arguments;
    }
    if (sites_++ == 0) {
      arguments_ = arguments;
      first_ = &site;
    }
    // A name that is new is one too many.
    if (arguments != arguments_ || count_arguments() != arguments_) return differs("", site, *first_);
    return {};
  }

  Fields finish() {
    bool lacks = false;
    for (const auto& [name, known] : known_) {
      if (known.sites == sites_) continue;
      fields_.fields[known.index].nullable = lacks = true;
    }
    std::stable_sort(fields_.fields.begin(), fields_.fields.end(),
                     [](const Field& a, const Field& b) { return a.wanted < b.wanted; });
    if (!lacks) return std::move(fields_);
    for (auto& [key, text] : fields_.metadata) {
      if (key == "steno.types") text = first_->info().argument_types();
    }
    return std::move(fields_);
  }

 private:
  struct Known {
    std::size_t index;
    const reader::Site* site;
    std::size_t sites;  // that have it
  };

  std::size_t count_arguments() const {
    return static_cast<std::size_t>(std::count_if(fields_.fields.begin(), fields_.fields.end(), [](const Field& field) {
      return field.is_argument && !field.is_context;
    }));
  }

  Fields fields_;
  std::unordered_map<std::string, Known> known_;
  std::size_t sites_ = 0;
  std::size_t arguments_ = 0;
  const reader::Site* first_ = nullptr;
};

}  // namespace

Result<std::shared_ptr<const Fields>> unite_fields(const FieldPlan& plan,
                                                   const std::vector<const reader::Site*>& sites) {
  Fields common = *plan.fields(sites.front());
  std::erase_if(common.fields, [](const Field& field) { return field.is_argument; });
  Union united(std::move(common));
  for (const reader::Site* site : sites) {
    if (Status status = united.add(*plan.fields(site), *site); !status.ok()) return status;
  }
  return std::make_shared<const Fields>(united.finish());
}

std::shared_ptr<const Fields> place_fields(const Fields& united, const Fields& own) {
  auto placed = std::make_shared<Fields>(united);
  for (Field& field : placed->fields) {
    if (!field.is_argument) continue;
    const auto found = std::find_if(own.fields.begin(), own.fields.end(),
                                    [&field](const Field& one) { return one.is_argument && one.name == field.name; });
    field.is_missing = found == own.fields.end();
    if (field.is_missing) continue;
    field.argument = found->argument;
    field.meaning = found->meaning;
    field.presence = found->presence;
  }
  return placed;
}

}  // namespace steno::arrow
