#include "base/suggest.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace steno {
namespace {

constexpr std::size_t kMaxSuggested = 8;
constexpr std::size_t kMaxLength = 64;  // of names worth comparing

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string choose_from(std::vector<std::string> candidates) {
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  if (candidates.empty()) return "";
  std::string list = "; choose from ";
  for (std::size_t i = 0; i < candidates.size() && i < kMaxSuggested; ++i) {
    list += (i != 0 ? ", '" : "'") + candidates[i] + "'";
  }
  if (candidates.size() > kMaxSuggested) list += " and " + std::to_string(candidates.size() - kMaxSuggested) + " more";
  return list;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                         const std::vector<std::string>& unlisted) {
  std::vector<std::string> sorted = candidates;
  std::sort(sorted.begin(), sorted.end());
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::vector<std::string>* some :
       std::initializer_list<const std::vector<std::string>*>{&sorted, &unlisted}) {
    for (const std::string& candidate : *some) {
      if (candidate.empty() || candidate.size() > kMaxLength || name.size() > kMaxLength) continue;
      const std::size_t distance = edit_distance(name, candidate);
      if (distance >= least) continue;
      least = distance;
      best = &candidate;
    }
  }
  return best != nullptr ? "; did you mean '" + *best + "'?" : choose_from(std::move(sorted));
}

}  // namespace steno
