#include "output/site_texts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "query/filter/filter.h"

namespace steno::cli {
namespace {

using query::Cell;
using query::Field;
using query::KeySpec;

struct Place {
  std::string shown;
  std::set<std::string> formats;
};

std::string base_of(const std::string& file) {
  return file.substr(file.rfind('/') + 1);
}

// By the text that `--by site` has as a key.
std::map<std::string, Place> places_of(const reader::LogSet& logs) {
  const std::vector<const reader::Site*> sites = query::statements_of(logs);
  std::map<std::string, std::set<std::string>> files;  // by name without directories
  for (const reader::Site* site : sites) files[base_of(site->info().file)].insert(site->info().file);
  std::map<std::string, Place> places;
  for (const reader::Site* site : sites) {
    const std::string& file = site->info().file;
    const std::string line = ":" + std::to_string(site->info().line);
    const std::string base = base_of(file);
    Place& place = places[file + line];
    place.shown = (files[base].size() == 1 ? base : file) + line;
    place.formats.insert(site->info().format);
  }
  return places;
}

// Several texts are at one place after an edit, or in a macro.
std::string joined(const std::set<std::string>& formats) {
  std::string text;
  for (const std::string& format : formats) text += (text.empty() ? "" : " | ") + format;
  return text;
}

std::size_t index_of(const std::vector<KeySpec>& keys, Field field) {
  const auto found = std::find_if(keys.begin(), keys.end(), [field](const KeySpec& key) {
    return key.by == KeySpec::By::kField && key.field == field;
  });
  return static_cast<std::size_t>(found - keys.begin());
}

}  // namespace

void add_site_texts(const reader::LogSet& logs, std::vector<KeySpec>* keys, std::vector<query::AnswerRow>* rows) {
  const std::size_t site = index_of(*keys, Field::kSite);
  if (site == keys->size()) return;
  const bool has_format = index_of(*keys, Field::kFormat) != keys->size();
  const auto after = static_cast<std::ptrdiff_t>(site + 1);
  if (!has_format) {
    KeySpec format = (*keys)[site];
    format.field = Field::kFormat;
    format.title = "format";
    keys->insert(keys->begin() + after, format);
  }
  const std::map<std::string, Place> places = places_of(logs);
  for (query::AnswerRow& row : *rows) {
    const auto found = places.find(row.keys[site].text);
    const Place place = found != places.end() ? found->second : Place{row.keys[site].text, {}};
    row.keys[site] = Cell::of_text(place.shown);
    if (!has_format) row.keys.insert(row.keys.begin() + after, Cell::of_text(joined(place.formats)));
  }
}

}  // namespace steno::cli
