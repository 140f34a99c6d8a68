#include "rewrite/redaction.h"

#include <algorithm>

#include "rewrite/format_fit.h"
#include "text/meaning.h"

namespace steno::cli {

Status Redaction::set(const RedactionOptions& options) {
  values_ = {options.values.begin(), options.values.end()};
  texts_ = options.texts;
  patterns_.set_replacement(options.replacement);
  for (const std::string& pattern : options.patterns) {
    if (Status status = patterns_.add(pattern); !status.ok()) return status;
  }
  return {};
}

wire::SiteInfo Redaction::site(const reader::Site& site, std::vector<Change>* changes) const {
  wire::SiteInfo info = Rewriting::site(site, changes);
  const std::size_t types = info.types.size();
  if (wire::protocol_site(info.id) != nullptr) {
    *changes = changes_of_own(site);
    return info;
  }
  changes->assign(types, Change::kKeep);
  for (const wire::TypeMeaning& meaning : info.meanings) {
    if (meaning.text.starts_with(wire::kSecretMark)) (*changes)[meaning.type] = Change::kBlank;
  }
  std::vector<bool> texts(types);
  for (std::size_t i = 0; i < types; ++i) {
    const bool is_named = !site.presences().is_field(i) && values_.count(site.argument_names()[i]) != 0;
    if (is_named) {
      texts[i] = true;
      info.types[i] = static_cast<char>(ArgType::kString);
      std::erase_if(info.meanings, [i](const wire::TypeMeaning& meaning) { return meaning.type == i; });
      (*changes)[i] = Change::kText;
    } else if ((*changes)[i] == Change::kKeep && patterns_.any() && !site.presences().is_field(i)) {
      (*changes)[i] = Change::kMatch;
    }
  }
  if (texts_) {
    for (std::string* text : {&info.file, &info.function}) name(text);
    // A pattern may match what makes a field.
    patterns_.replace_in_format(&info.format, info.style);
    for (std::string& field : info.context) name(&field);
    for (wire::TypeMeaning& meaning : info.meanings) {
      meaning.text = this->meaning(meaning.text, static_cast<ArgType>(info.types[meaning.type]));
    }
    std::erase_if(info.meanings, [](const wire::TypeMeaning& meaning) { return meaning.text.empty(); });
  } else {
    for (const std::string* text : {&info.file, &info.function, &info.format}) patterns_.note_text(*text);
    for (const std::string& field : info.context) patterns_.note_text(field);
    for (const wire::TypeMeaning& meaning : info.meanings) patterns_.note_text(meaning.text);
  }
  const bool any_text = std::find(texts.begin(), texts.end(), true) != texts.end();
  if (any_text || texts_) fit_format(texts, &info);
  info.stable_id = wire::stable_site_id(info);
  return info;
}

// Records that say how much was lost, and why: readers know their types, and count by their numbers.
std::vector<Change> Redaction::changes_of_own(const reader::Site& site) const {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < site.info().types.size(); ++i) {
    const bool is_text = site.info().types[i] == static_cast<char>(ArgType::kString);
    const bool is_named = values_.count(site.argument_names()[i]) != 0;
    changes.push_back(!is_text ? Change::kKeep : is_named ? Change::kText : Change::kMatch);
  }
  return changes;
}

// Names and units are replaced; the rest of a meaning stays, so that values do not become something else.
std::string Redaction::meaning(std::string_view text, ArgType type) const {
  using MeaningKind = text::Meaning::Kind;
  if (text.starts_with(wire::kSecretMark)) return std::string(1, wire::kSecretMark) + meaning(text.substr(1), type);
  std::string whole(text);
  const auto parsed = text::Meaning::parse(text, type);
  if (!parsed || parsed->kind() == MeaningKind::kUnit) {
    name(&whole);
    return whole;
  }
  if (parsed->kind() == MeaningKind::kList) {
    return whole.substr(0, 2) + meaning(text.substr(2), static_cast<ArgType>(text[1]));
  }
  if (parsed->kind() != MeaningKind::kNames) return whole;
  whole.clear();
  for (const auto& [bits, of_value] : parsed->names()) {
    std::string name_now(of_value);
    name(&name_now);
    std::replace(name_now.begin(), name_now.end(), ',', ' ');
    if (name_now.empty()) continue;
    whole += whole.empty() ? "=" : ",";
    whole += is_signed_integer(type) ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits);
    whole += " " + name_now;
  }
  return whole;
}

void Redaction::name(std::string* text) const {
  texts_ ? patterns_.replace(text) : patterns_.note_text(*text);
}

}  // namespace steno::cli
