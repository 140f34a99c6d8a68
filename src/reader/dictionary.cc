#include "reader/dictionary.h"

#include <functional>

#include "base/unique_names.h"

namespace steno::reader {
namespace {

// Bytes of an entry in the tables by id, and of one of a deque or a vector.
constexpr std::uint64_t kEntryBytes = 112;
constexpr std::uint64_t kTypeBytes = 64;  // of one type, in two layouts and what is known of it

std::uint64_t bytes_of(const wire::SiteInfo& info) {
  std::uint64_t bytes = sizeof(Site) + kTypeBytes * (info.types.size() + info.context.size() + info.meanings.size());
  bytes += 2 * (info.format.size() + info.file.size() + info.function.size());
  for (const std::string& name : info.context) bytes += name.size();
  for (const wire::TypeMeaning& meaning : info.meanings) bytes += 2 * meaning.text.size();
  return bytes;
}

// A hostile file may have others of the same key, which are not shared then.
std::uint64_t key_of(const wire::SiteInfo& info) {
  constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
  const std::hash<std::string_view> hash;
  return ((info.stable_id * kOdd + info.id) * kOdd + hash(info.format)) * kOdd + hash(info.types);
}

}  // namespace

std::shared_ptr<const Site> SitePool::find(const wire::SiteInfo& info) const {
  const auto found = sites_.find(key_of(info));
  return found != sites_.end() && found->second->is_of(info) ? found->second : nullptr;
}

void SitePool::add(const wire::SiteInfo& info, const std::shared_ptr<const Site>& site) {
  sites_.try_emplace(key_of(info), site);
}

Site::Site(wire::SiteInfo info, bool known, std::uint32_t ordinal, Secrets secrets, std::uint32_t most_fields)
    : info_(std::move(info)), known_(known), ordinal_(ordinal) {
  too_wide_ = info_.types.size() > most_fields;
  has_layout_ = known_ && !too_wide_ && wire::Layout::parse(info_.types, &wire_layout_);
  if (!has_layout_) return;
  resolve_secrets(secrets);
  has_layout_ = wire::Layout::parse(info_.types, &layout_);
  meanings_ = text::Meanings(info_);
  if (info_.style == wire::Style::kBrace) presences_ = text::Presences(info_, redacted_);
}

void Site::resolve_secrets(Secrets secrets) {
  const auto is_secret = [](const wire::TypeMeaning& meaning) { return meaning.text.front() == wire::kSecretMark; };
  if (std::none_of(info_.meanings.begin(), info_.meanings.end(), is_secret)) return;
  written_ = std::make_unique<const wire::SiteInfo>(info_);
  if (secrets == Secrets::kRedacted) redacted_.resize(info_.types.size());
  for (wire::TypeMeaning& meaning : info_.meanings) {
    if (!is_secret(meaning)) continue;
    if (secrets == Secrets::kRedacted) {
      info_.types[meaning.type] = static_cast<char>(ArgType::kString);
      redacted_[meaning.type] = true;
      meaning.text.clear();
    } else {
      meaning.text.erase(0, 1);
    }
  }
  std::erase_if(info_.meanings, [](const wire::TypeMeaning& meaning) { return meaning.text.empty(); });
}

const text::Printer* Site::printer() const {
  std::call_once(once_, [this] { compile(); });
  return printer_.get();
}

const std::string& Site::problem() const {
  std::call_once(once_, [this] { compile(); });
  return problem_;
}

const std::vector<std::string>& Site::argument_names() const {
  std::call_once(once_, [this] { compile(); });
  return names_;
}

std::optional<std::uint32_t> Site::find_argument(std::string_view name) const {
  const std::vector<std::string>& names = argument_names();
  const auto found = std::find(names.begin(), names.end(), name);
  const auto index = static_cast<std::uint32_t>(found - names.begin());
  if (layout() == nullptr || found == names.end() || presences_.is_field(index)) return {};
  return index;
}

std::optional<std::uint32_t> Site::find_argument_or_number(std::string_view text) const {
  const std::vector<std::string>& names = argument_names();
  const bool is_number =
      !text.empty() && text.size() <= 3 && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number || std::find(names.begin(), names.end(), text) != names.end()) return find_argument(text);
  const auto index = static_cast<std::uint32_t>(std::stoul(std::string(text)));
  if (layout() == nullptr || index >= names.size() || presences_.is_field(index)) return {};
  return index;
}

std::vector<std::string> Site::value_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < argument_names().size(); ++i) {
    if (!presences_.is_field(i)) names.push_back(argument_names()[i]);
  }
  return names;
}

void Site::compile() const {
  if (!known_) {
    problem_ = "the dictionary entry of site " + std::to_string(info_.id) + " is missing";
    return;
  }
  if (too_wide_) {
    problem_ = "it has " + std::to_string(info_.types.size()) + " arguments, more than ReadLimits::fields";
    return;
  }
  if (!has_layout_) {
    problem_ = "argument types '" + info_.types + "' are unknown to this version";
    return;
  }
  auto printer = text::Printer::compile(info_.style, info_.format, info_.argument_types(), &meanings_, &presences_);
  if (printer.ok()) {
    printer_ = std::make_unique<text::Printer>(std::move(printer).value());
    names_ = printer_->names();
  } else {
    problem_ = printer.status().message();
  }
  const std::size_t arguments = info_.argument_types().size();
  for (std::size_t i = names_.size(); i < arguments; ++i) names_.push_back(std::to_string(i));
  names_.insert(names_.end(), info_.context.begin(), info_.context.end());
  names_.resize(layout_.fields.size());
  make_unique(names_);
}

std::string Thread::display() const {
  if (!info.name.empty()) return info.name;
  return known ? std::to_string(info.tid) : unknown_name(info.index);
}

class Dictionary::Loader final : public wire::DictionaryVisitor {
 public:
  Loader(Dictionary* dictionary, std::uint64_t offset) : d_(*dictionary), offset_(offset) {}

  bool is_over() const { return is_over_; }

  void on_site(wire::SiteInfo info) override {
    const std::uint32_t id = info.id;
    if (const Site* last = d_.site_versions_.last(id); last != nullptr && last->is_of(info)) return;
    if (id >= wire::kFirstUserSite && d_.sites_.size() >= d_.limits_.statements + std::size(wire::kProtocolSites)) {
      d_.is_full_ = is_over_ = true;
      return;
    }
    const Site* const site = d_.add_site(std::move(info), true);
    d_.redacts_any_ |= site->redacts_any();
    d_.site_versions_.add(id, offset_, site);
  }
  void on_logger(wire::LoggerInfo info) override {
    const std::uint32_t id = info.id;
    if (const Logger* last = d_.logger_versions_.last(id); last != nullptr && last->info == info) return;
    d_.memory_ += kEntryBytes + sizeof(Logger) + info.name.size();
    d_.loggers_.push_back({std::move(info), true, d_.ordinals_->loggers++});
    d_.logger_versions_.add(id, offset_, &d_.loggers_.back());
  }
  void on_thread(wire::ThreadInfo info) override {
    const std::uint32_t index = info.index;
    if (const Thread* last = d_.thread_versions_.last(index); last != nullptr && last->info == info) return;
    d_.memory_ += kEntryBytes + sizeof(Thread) + info.name.size();
    d_.threads_.push_back({std::move(info), true, d_.ordinals_->threads++});
    d_.thread_versions_.add(index, offset_, &d_.threads_.back());
  }

 private:
  Dictionary& d_;
  std::uint64_t offset_;
  bool is_over_ = false;
};

Dictionary::Dictionary(Ordinals* ordinals, const ReadLimits& limits, SitePool* pool)
    : ordinals_(ordinals), limits_(limits), pool_(pool) {
  Loader loader(this, 0);
  for (const std::uint32_t id : wire::kProtocolSites) loader.on_site(*wire::protocol_site(id));
  loader.on_logger({});
}

const Site* Dictionary::add_site(wire::SiteInfo info, bool known) {
  const bool shares = known && pool_ != nullptr;
  std::shared_ptr<const Site> site = shares ? pool_->find(info) : nullptr;
  memory_ += kEntryBytes;
  if (site == nullptr) {
    memory_ += bytes_of(info);
    const wire::SiteInfo entry = shares ? info : wire::SiteInfo();
    site = std::make_shared<const Site>(std::move(info), known, ordinals_->sites++, ordinals_->secrets, limits_.fields);
    if (shares) pool_->add(entry, site);
  }
  sites_.push_back(std::move(site));
  return sites_.back().get();
}

bool Dictionary::add_block(std::span<const std::uint8_t> payload, std::uint64_t offset) {
  Loader loader(this, offset);
  return wire::read_dictionary(payload.data(), payload.size(), loader) && !loader.is_over();
}

void Dictionary::declare_missing(const format::DataBlock& block, std::uint64_t offset) {
  for (const auto& group : block.groups()) {
    if (site(group.site, offset) == nullptr) {
      wire::SiteInfo info;
      info.id = group.site;
      info.level = kNoLevel;
      missing_sites_[group.site] = add_site(std::move(info), false);
    }
    if (logger(group.logger, offset) == nullptr) {
      memory_ += kEntryBytes + sizeof(Logger);
      loggers_.push_back({{group.logger, unknown_name(group.logger)}, false, ordinals_->loggers++});
      missing_loggers_[group.logger] = &loggers_.back();
    }
  }
  for (const format::Run& run : block.runs()) {
    if (thread(run.thread, offset) != nullptr) continue;
    memory_ += kEntryBytes + sizeof(Thread);
    threads_.push_back({{run.thread, 0, ""}, false, ordinals_->threads++});
    missing_threads_[run.thread] = &threads_.back();
  }
}

namespace {

template <class T>
const T* find(const VersionTable<T>& versions, const std::unordered_map<std::uint32_t, const T*>& missing,
              std::uint32_t id, std::uint64_t offset) {
  if (const T* entry = versions.at(id, offset)) return entry;
  const auto found = missing.find(id);
  return found != missing.end() ? found->second : nullptr;
}

}  // namespace

const Site* Dictionary::site(std::uint32_t id, std::uint64_t offset) const {
  return find(site_versions_, missing_sites_, id, offset);
}
const Logger* Dictionary::logger(std::uint32_t id, std::uint64_t offset) const {
  return find(logger_versions_, missing_loggers_, id, offset);
}
const Thread* Dictionary::thread(std::uint32_t index, std::uint64_t offset) const {
  return find(thread_versions_, missing_threads_, index, offset);
}

}  // namespace steno::reader
