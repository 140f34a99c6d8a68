#include "staging/foreign_dictionary.h"

#include <algorithm>
#include <utility>

namespace steno::staging {
namespace {

constexpr std::size_t kLeastEntry = 8;  // bytes of a site in a dictionary, at least

}  // namespace

void ForeignDictionary::read(const void* bytes, std::size_t size) {
  most_sites_ = wire::kFirstUserSite + size / kLeastEntry;
  (void)wire::read_dictionary(bytes, size, *this);
}

void ForeignDictionary::on_site(wire::SiteInfo site) {
  if (site.id >= most_sites_) return;
  if (site.id >= sites_.size()) sites_.resize(site.id + 1);
  auto& known = sites_[site.id];
  known = std::make_unique<wire::SiteInfo>(std::move(site));
}

void ForeignDictionary::on_logger(wire::LoggerInfo logger) {
  if (logger.id > UINT16_MAX) return;
  if (logger.id >= loggers_.size()) loggers_.resize(logger.id + 1);
  loggers_[logger.id] = std::make_unique<std::string>(std::move(logger.name));
}

bool ForeignDictionary::find_site(std::uint32_t id, wire::SiteInfo* info) {
  if (const wire::SiteInfo* known = wire::protocol_site(id); known != nullptr) {
    *info = *known;
    return true;
  }
  if (id < wire::kFirstUserSite || id >= sites_.size() || sites_[id] == nullptr) return false;
  *info = *sites_[id];
  return true;
}

bool ForeignDictionary::is_missing(std::uint32_t id) {
  const std::uint64_t known = std::max<std::uint64_t>(sites_.size(), wire::kFirstUserSite);
  return id >= wire::kFirstUserSite && id < known + missing_ && missing_ != 0 &&
         (id >= sites_.size() || sites_[id] == nullptr);
}

bool ForeignDictionary::find_logger(std::uint32_t id, std::string* name) {
  if (id >= loggers_.size() || loggers_[id] == nullptr) return false;
  *name = *loggers_[id];
  return true;
}

}  // namespace steno::staging
