// Verbosity by file: FLAGS_vmodule (steno/glog.h).
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "steno/glog/logging.h"

// "net=2,gfs*=3": levels of files by their names, without directories, what follows the first dot, and "-inl"; `*` and
// `?` as in file names. FLAGS_v is of all others. Read when the first VLOG is met; SetVLOGLevel() changes it later.
inline std::string FLAGS_vmodule = google::detail::text_from_environment("GLOG_vmodule", "");

namespace google {
namespace detail {

// One of a place's. Trivially destructible, without a constructor that runs.
struct VlogSite {
  std::atomic<const int*> level{nullptr};
  const char* file = nullptr;
  VlogSite* next = nullptr;

  bool is_on(int least, const char* of_file);
};

inline bool name_matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  for (std::size_t n = 0; n < name.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// "net" of "src/net-inl.h".
inline std::string_view module_of(std::string_view file) {
  file = file.substr(file.rfind('/') + 1);
  file = file.substr(0, file.find('.'));
  constexpr std::string_view kInline = "-inl";
  if (file.size() >= kInline.size() && file.substr(file.size() - kInline.size()) == kInline)
    file.remove_suffix(kInline.size());
  return file;
}

class VModule {
 public:
  // Points to the level of the file, now and later.
  const int* level_of(VlogSite* site, const char* file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    read_flag();
    const int* const found = find(module_of(file));
    if (site->level.load(std::memory_order_relaxed) == nullptr) {
      site->file = file;
      site->next = sites_;
      sites_ = site;
    }
    site->level.store(found, std::memory_order_release);
    return found;
  }

  // Returns what it was.
  int set(const char* pattern, int level) {
    const std::lock_guard<std::mutex> lock(mutex_);
    read_flag();
    int before = FLAGS_v;
    bool known = false;
    for (const std::unique_ptr<Rule>& rule : rules_) {
      const bool same = rule->pattern == pattern;
      if (same || (!known && name_matches(rule->pattern, pattern))) before = rule->level;
      known = known || same || name_matches(rule->pattern, pattern);
      if (same) __atomic_store_n(&rule->level, level, __ATOMIC_RELAXED);
    }
    if (known) return before;  // of what another one has, that stays
    rules_.push_back(std::make_unique<Rule>(Rule{pattern, level}));
    for (VlogSite* site = sites_; site != nullptr; site = site->next)
      site->level.store(find(module_of(site->file)), std::memory_order_release);
    return before;
  }

 private:
  struct Rule {
    std::string pattern;
    int level;
  };

  const int* find(std::string_view module) const {
    for (const std::unique_ptr<Rule>& rule : rules_) {
      if (name_matches(rule->pattern, module)) return &rule->level;
    }
    return &FLAGS_v;
  }

  void read_flag() {
    if (read_) return;
    read_ = true;
    std::string_view rest = FLAGS_vmodule;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find(','));
      rest.remove_prefix(one.size() == rest.size() ? one.size() : one.size() + 1);
      const std::size_t equals = one.find('=');
      if (equals == std::string_view::npos || equals == 0) continue;
      rules_.push_back(std::make_unique<Rule>(
          Rule{std::string(one.substr(0, equals)), std::atoi(std::string(one.substr(equals + 1)).c_str())}));
    }
  }

  std::mutex mutex_;
  bool read_ = false;
  std::vector<std::unique_ptr<Rule>> rules_;  // the first that matches is in effect
  VlogSite* sites_ = nullptr;
};
// Never destroyed: destructors may log.
inline VModule& vmodule() {
  static auto* const one = new VModule;
  return *one;
}

inline bool VlogSite::is_on(int least, const char* of_file) {
  const int* known = level.load(std::memory_order_acquire);
  if (known == nullptr) known = vmodule().level_of(this, of_file);
  return __atomic_load_n(known, __ATOMIC_RELAXED) >= least;
}

}  // namespace detail

inline int SetVLOGLevel(const char* pattern, int level) {
  return detail::vmodule().set(pattern, level);
}

}  // namespace google

#define VLOG_IS_ON(verbosity)                             \
  ([](int steno_verbosity_) {                             \
    static ::google::detail::VlogSite steno_site_;        \
    return steno_site_.is_on(steno_verbosity_, __FILE__); \
  }(verbosity))
