#include "query/statistics/argument_sample.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "base/checksum.h"
#include "query/search/number_stream.h"
#include "query/statistics/significance.h"
#include "query/statistics/text_codes.h"

namespace steno::query {
namespace {

constexpr std::size_t kShownText = 64;
constexpr double kFew = 10;          // values that came less often in both samples together are not compared alone
constexpr int kLeastTail = 4;        // the ends that are looked at hold 2^-4 of the values ...
constexpr int kGreatestTail = 10;    // ... to 2^-10
constexpr double kMostFactor = 1e6;  // of a value that was not there

// SplitMix64's finaliser: each bit of the result depends on all of `x`.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

// Valid UTF-8 if the text is.
std::string beginning_of(std::string_view text) {
  if (text.size() <= kShownText) return std::string(text);
  std::size_t end = kShownText;
  while (end != 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string percent(double part, double whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * part / whole);
  return text;
}

// One of the classes that values fall into.
struct Share {
  double before = 0;
  double after = 0;
};

// Looks for the value whose share changed most surely, among those where it changed by the least factor.
class RiseSearch {
 public:
  RiseSearch(double n, double m, double least_rise, SampleDifference* out)
      : n_(n), m_(m), least_rise_(least_rise), out_(*out) {}

  template <class Name>
  void look_at(const Share& share, double candidates, const Name& name) {
    if (share.before + share.after < kFew) return;
    const double p = share.before / n_;
    const double q = share.after / m_;
    const double factor = std::min(kMostFactor, std::max(p, q) / std::max(std::min(p, q), 1e-300));
    if (factor < least_rise_) return;
    const double score = score_of_shares(share.before, n_, share.after, m_) - std::log10(std::max(candidates, 1.0));
    if (score <= out_.rise_score) return;
    out_.rise = factor;
    out_.rise_score = score;
    out_.rare_value = name();
    out_.rare_from = percent(share.before, n_);
    out_.rare_to = percent(share.after, m_);
  }

 private:
  double n_;
  double m_;
  double least_rise_;
  SampleDifference& out_;
};

// Values of discrete numbers, and what lies beyond bounds near the ends of both samples together.
void look_for_rises(const std::vector<double>& a, const std::vector<double>& b, double least_rise,
                    SampleDifference* out) {
  RiseSearch search(static_cast<double>(a.size()), static_cast<double>(b.size()), least_rise, out);
  std::vector<double> all(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin());
  const auto above = [](const std::vector<double>& values, double bound) {
    return static_cast<double>(values.end() - std::upper_bound(values.begin(), values.end(), bound));
  };
  const auto below = [](const std::vector<double>& values, double bound) {
    return static_cast<double>(std::lower_bound(values.begin(), values.end(), bound) - values.begin());
  };
  std::vector<std::pair<double, Share>> values;
  for (auto at = all.begin(); at != all.end();) {
    const auto end = std::upper_bound(at, all.end(), *at);
    if (static_cast<double>(end - at) >= kFew) {
      const auto [first_a, last_a] = std::equal_range(a.begin(), a.end(), *at);
      const auto in_a = static_cast<double>(last_a - first_a);
      values.push_back({*at, {in_a, static_cast<double>(end - at) - in_a}});
    }
    at = end;
  }
  const double candidates = static_cast<double>(values.size()) + 2 * (kGreatestTail - kLeastTail + 1);
  for (const auto& [value, share] : values) {
    search.look_at(share, candidates, [at = value] { return short_number(at); });
  }
  for (int k = kLeastTail; k <= kGreatestTail; ++k) {
    const std::size_t rank = all.size() >> k;
    if (rank == 0) break;
    const double high = all[all.size() - 1 - rank];
    const double low = all[rank];
    search.look_at({above(a, high), above(b, high)}, candidates, [&] { return "over " + short_number(high); });
    search.look_at({below(a, low), below(b, low)}, candidates, [&] { return "under " + short_number(low); });
  }
}

// The greatest distance between the two distribution functions.
void compare_numbers(std::vector<double> a, std::vector<double> b, double least_rise, SampleDifference* out) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const double at = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= at) ++i;
    while (j < b.size() && b[j] <= at) ++j;
    out->distance = std::max(out->distance, std::fabs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  out->distance_score = score_of_distance(out->distance, n, m);
  out->value = "median";
  out->from = short_number(a[(a.size() - 1) / 2]);
  out->to = short_number(b[(b.size() - 1) / 2]);
  look_for_rises(a, b, least_rise, out);
}

void compare_texts(const ArgumentSample& a, const ArgumentSample& b, double least_rise, SampleDifference* out) {
  struct Class {
    Share share;
    const std::string* text;
    std::uint64_t hash;
  };
  std::vector<Class> classes;
  Share few;  // texts that came rarely tell nothing one by one: they are counted together
  const auto add = [&](std::uint64_t hash, const std::string& text, double before, double after) {
    if (before + after >= kFew) {
      classes.push_back({{before, after}, &text, hash});
    } else {
      few.before += before;
      few.after += after;
    }
  };
  for (const auto& [hash, text] : a.texts) {
    const auto other = b.texts.find(hash);
    add(hash, text.begin, static_cast<double>(text.count),
        other != b.texts.end() ? static_cast<double>(other->second.count) : 0);
  }
  for (const auto& [hash, text] : b.texts) {
    if (a.texts.count(hash) == 0) add(hash, text.begin, 0, static_cast<double>(text.count));
  }
  // In an order that does not depend on how hash tables store.
  std::sort(classes.begin(), classes.end(),
            [](const Class& x, const Class& y) { return *x.text != *y.text ? *x.text < *y.text : x.hash < y.hash; });
  const auto n = static_cast<double>(a.texts_seen);
  const auto m = static_cast<double>(b.texts_seen);
  double g = 0;
  double moved_most = 0;
  const auto weigh = [&](const Share& share) {
    const double total = share.before + share.after;
    if (total == 0) return 0.0;
    g += g_term(share.before, total * n / (n + m)) + g_term(share.after, total * m / (n + m));
    const double moved = std::fabs(share.before / n - share.after / m);
    out->distance += moved / 2;
    return moved;
  };
  const auto candidates = static_cast<double>(classes.size());
  RiseSearch search(n, m, least_rise, out);
  for (const Class& one : classes) {
    const auto name = [&] { return "'" + *one.text + "'"; };
    const double moved = weigh(one.share);
    if (moved > moved_most) {
      moved_most = moved;
      out->value = name();
      out->from = percent(one.share.before, n);
      out->to = percent(one.share.after, m);
    }
    search.look_at(one.share, candidates, name);
  }
  if (weigh(few) > moved_most) {
    out->value = "rare texts";
    out->from = percent(few.before, n);
    out->to = percent(few.after, m);
  }
  const double degrees = candidates + (few.before + few.after > 0 ? 1 : 0) - 1;
  out->distance_score = degrees > 0 ? score_of_chi_square(g, degrees) : 0;
}

// How many have no value. Where that changed more than the values did, it is the difference.
void compare_absence(const ArgumentSample& a, const ArgumentSample& b, double least_rise, SampleDifference* out) {
  const Share share{static_cast<double>(a.absent), static_cast<double>(b.absent)};
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  if (n == 0 || m == 0 || share.before + share.after == 0) return;
  const char* const name = "absent";
  RiseSearch(n, m, least_rise, out).look_at(share, 1, [&] { return name; });
  const double moved = std::fabs(share.before / n - share.after / m);
  if (moved <= out->distance) return;
  out->distance = moved;
  out->distance_score = score_of_shares(share.before, n, share.after, m);
  out->value = name;
  out->from = percent(share.before, n);
  out->to = percent(share.after, m);
}

}  // namespace

bool ArgumentSample::counts_up() const {
  constexpr std::uint64_t kEnough = 32;
  if (steps < kEnough || ascents * 10 < steps * 9) return false;
  std::vector<double> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  const auto distinct = static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  return distinct * 100 >= numbers.size() * 99;
}

bool all_new(const ArgumentSample& before, const ArgumentSample& after) {
  constexpr std::size_t kMany = 10;
  constexpr std::size_t kFewRecords = 8;  // that may have one value
  std::vector<std::uint64_t> values[2];   // each once
  for (const ArgumentSample* const sample : {&before, &after}) {
    std::vector<std::uint64_t>& own = values[sample == &after ? 1 : 0];
    for (const double number : sample->numbers) {
      if (number != std::floor(number)) return false;
      own.push_back(std::bit_cast<std::uint64_t>(number));
    }
    if (sample->descents * 10 > sample->steps * 4) return false;  // of numbers in any order half do
    std::sort(own.begin(), own.end());
    for (std::size_t i = kFewRecords; i < own.size(); ++i) {
      if (own[i] == own[i - kFewRecords]) return false;
    }
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (const auto& [hash, text] : sample->texts) {
      if (text.count > kFewRecords) return false;
      own.push_back(hash);
    }
    if (own.size() < kMany) return false;
    std::sort(own.begin(), own.end());
  }
  std::vector<std::uint64_t> both;
  std::set_intersection(values[0].begin(), values[0].end(), values[1].begin(), values[1].end(),
                        std::back_inserter(both));
  return both.empty();
}

void ArgumentSample::add(const ArgumentSample& more) {
  numbers.insert(numbers.end(), more.numbers.begin(), more.numbers.end());
  for (const auto& [hash, text] : more.texts) {
    Text& mine = texts[hash];
    if (mine.count == 0) mine.begin = text.begin;
    mine.count += text.count;
  }
  texts_seen += more.texts_seen;
  absent += more.absent;
  steps += more.steps;
  ascents += more.ascents;
  descents += more.descents;
}

RowSampler::RowSampler(const Part& part, std::uint64_t records)
    : base_(mixed(mixed((std::uint64_t{part.file} << 32) + part.block) + part.group)), limit_(UINT64_MAX) {
  if (records > kSample) limit_ = UINT64_MAX / records * kSample;
}

bool RowSampler::chooses(std::size_t row) const {
  return mixed(base_ + row * 0x9E3779B97F4A7C15) <= limit_;
}

void sample_column(const Part& part, std::uint32_t column, const RowSampler& rows, ArgumentSample* sample) {
  const text::Presence* const presence = part.view->groups()[part.group].site->presences().of(column);
  const std::span<const std::uint64_t> flags =
      presence != nullptr ? part.view->ints(part.group, presence->field) : std::span<const std::uint64_t>();
  const auto is_due = [&](std::size_t row) {
    if (!part.is_kept(row) || !rows.chooses(row)) return false;
    const bool is_there = presence == nullptr || (row < flags.size() && flags[row] == presence->value);
    if (!is_there) ++sample->absent;
    return is_there;
  };
  if (counts_as_text(part.view->type_of(part.group, column))) {
    TextCodes texts;
    read_texts(part, column, &texts);
    std::vector<std::uint64_t> counts(texts.texts.size());
    for (std::size_t row = 0; row < texts.codes.size(); ++row) {
      if (is_due(row)) ++counts[texts.codes[row]];
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const std::string_view text = texts.texts[i];
      ArgumentSample::Text& mine = sample->texts[xxh3(text.data(), text.size())];
      if (mine.count == 0) mine.begin = beginning_of(text);
      mine.count += counts[i];
      sample->texts_seen += counts[i];
    }
    return;
  }
  NumberStream stream(*part.view, part.group, column, NumberKind::kReal);
  std::uint64_t buffer[format::kMiniBlock];
  std::size_t row = 0;
  bool first = true;
  for (Numbers numbers; stream.next(&numbers); row += numbers.n) {
    const std::uint64_t* values = numbers.unpack(buffer);
    for (std::size_t i = 0; i < numbers.n; ++i) {
      if (!is_due(row + i)) continue;
      const auto value = std::bit_cast<double>(values[i]);
      if (std::isnan(value)) continue;
      if (!first) {
        ++sample->steps;
        sample->ascents += value > sample->numbers.back() ? 1 : 0;
        sample->descents += value < sample->numbers.back() ? 1 : 0;
      }
      first = false;
      sample->numbers.push_back(value);
    }
  }
}

SampleDifference compare_samples(const ArgumentSample& before, const ArgumentSample& after, double least_rise) {
  SampleDifference difference;
  if (!before.numbers.empty() && !after.numbers.empty()) {
    if (!before.counts_up() || !after.counts_up())
      compare_numbers(before.numbers, after.numbers, least_rise, &difference);
  } else if (before.texts_seen != 0 && after.texts_seen != 0) {
    compare_texts(before, after, least_rise, &difference);
  }
  compare_absence(before, after, least_rise, &difference);
  return difference;
}

}  // namespace steno::query
