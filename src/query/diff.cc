#include "query/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <unordered_map>

#include "query/moments.h"
#include "query/number_stream.h"
#include "query/text_codes.h"

namespace steno::query {
namespace {

constexpr std::size_t kSample = 8192;     // numbers of an argument
constexpr std::size_t kMostTexts = 1024;  // distinct texts of an argument; the rest are one more

// A sample of what an argument was: numbers, or how often which text came.
struct ArgumentSample {
  std::vector<double> numbers;
  std::map<std::string, std::uint64_t> texts;
  std::uint64_t other_texts = 0;
  std::uint64_t texts_seen = 0;
};

struct Side {
  std::uint64_t records = 0;
  std::uint64_t stride = 1;  // every how many-th record is in the sample
  std::vector<ArgumentSample> arguments;
};

struct Compared {
  const reader::Site* site = nullptr;
  Side sides[2];
};

using Statements = std::map<std::uint64_t, Compared>;  // by stable id

double seconds_of(const reader::LogSet& logs) {
  const auto span = [&] {
    std::int64_t first = INT64_MAX;
    std::int64_t last = INT64_MIN;
    for (const auto& file : logs.files()) {
      for (const auto& session : file->sessions()) {
        if (session->min_clock > session->max_clock) continue;
        first = std::min(first, session->clock.wall(session->min_clock));
        last = std::max(last, session->clock.wall(session->max_clock));
      }
    }
    return first <= last ? static_cast<double>(static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first))
                         : 0.0;
  }();
  return std::max(span * 1e-9, 1e-9);
}

class Collector {
 public:
  Collector(const Subject& subject, int side, Statements* statements)
      : subject_(subject), side_(side), statements_(*statements) {}

  std::vector<reader::DecodeFailure> run() {
    PartWalk walk(subject_);
    walk.run([&](unsigned, const Part& part) { count(part); });
    for (auto& [id, statement] : statements_) {
      Side& side = statement.sides[side_];
      side.stride = side.records / kSample + 1;
    }
    walk.run([&](unsigned, const Part& part) { sample(part); });
    return walk.failures();
  }

 private:
  void count(const Part& part) {
    const reader::Site& site = *part.view->groups()[part.group].site;
    if (!site.known() || site.info().id < wire::kFirstUserSite) return;
    const std::lock_guard lock(mutex_);
    Compared& statement = statements_[site.info().stable_id];
    if (statement.site == nullptr) statement.site = &site;
    statement.sides[side_].records += part.kept;
  }

  // Rows that are in the sample depend on the part alone, not on which thread comes first.
  void sample(const Part& part) {
    const reader::Site& site = *part.view->groups()[part.group].site;
    if (site.layout() == nullptr || site.info().id < wire::kFirstUserSite || !site.known()) return;
    std::uint64_t stride = 1;
    {
      const std::lock_guard lock(mutex_);
      stride = statements_[site.info().stable_id].sides[side_].stride;
    }
    std::vector<ArgumentSample> samples(site.layout()->fields.size());
    for (std::uint32_t c = 0; c < samples.size(); ++c) sample_column(part, c, stride, &samples[c]);
    const std::lock_guard lock(mutex_);
    Side& side = statements_[site.info().stable_id].sides[side_];
    side.arguments.resize(samples.size());
    for (std::size_t c = 0; c < samples.size(); ++c) add(samples[c], &side.arguments[c]);
  }

  static void sample_column(const Part& part, std::uint32_t column, std::uint64_t stride, ArgumentSample* sample) {
    std::uint64_t due = (part.block * 7919) % stride;  // not the first rows of every block
    const auto is_due = [&](std::size_t row) {
      if (part.keep != nullptr && part.keep[row] == 0) return false;
      if (due-- != 0) return false;
      due = stride - 1;
      return true;
    };
    if (counts_as_text(part.view->type_of(part.group, column))) {
      const TextCodes texts = read_texts(part, column);
      for (std::size_t row = 0; row < texts.codes.size(); ++row) {
        if (is_due(row)) ++sample->texts[texts.texts[texts.codes[row]]];
      }
      return;
    }
    NumberStream stream(*part.view, part.group, column, NumberKind::kReal);
    std::uint64_t buffer[format::kMiniBlock];
    std::size_t row = 0;
    for (Numbers numbers; stream.next(&numbers); row += numbers.n) {
      const std::uint64_t* values = numbers.unpack(buffer);
      for (std::size_t i = 0; i < numbers.n; ++i) {
        if (!is_due(row + i)) continue;
        const auto value = std::bit_cast<double>(values[i]);
        if (!std::isnan(value)) sample->numbers.push_back(value);
      }
    }
  }

  static void add(const ArgumentSample& from, ArgumentSample* into) {
    into->numbers.insert(into->numbers.end(), from.numbers.begin(), from.numbers.end());
    for (const auto& [text, count] : from.texts) {
      into->texts_seen += count;
      const auto found = into->texts.find(text);
      if (found != into->texts.end()) {
        found->second += count;
      } else if (into->texts.size() < kMostTexts) {
        into->texts.emplace(text, count);
      } else {
        into->other_texts += count;
      }
    }
  }

  const Subject& subject_;
  int side_;
  Statements& statements_;
  std::mutex mutex_;
};

double g_term(double observed, double expected) {
  return observed > 0 && expected > 0 ? 2 * observed * std::log(observed / expected) : 0;
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

class Judge {
 public:
  Judge(const DiffOptions& options, DiffAnswer* answer) : options_(options), answer_(*answer) {}

  void compare(const Compared& statement) {
    const double before = static_cast<double>(statement.sides[0].records);
    const double after = static_cast<double>(statement.sides[1].records);
    const double share = answer_.seconds_before / (answer_.seconds_before + answer_.seconds_after);
    const double total = before + after;
    Difference difference;
    difference.site = statement.site;
    difference.before = statement.sides[0].records;
    difference.after = statement.sides[1].records;
    difference.rate_before = before / answer_.seconds_before;
    difference.rate_after = after / answer_.seconds_after;
    difference.score = score_of_chi_square(g_term(before, total * share) + g_term(after, total * (1 - share)), 1);
    difference.kind = before == 0  ? Difference::Kind::kNew
                      : after == 0 ? Difference::Kind::kGone
                                   : Difference::Kind::kRate;
    const double ratio = difference.rate_after / std::max(difference.rate_before, 1e-300);
    const bool rate_changed = ratio >= options_.least_rate || ratio <= 1 / options_.least_rate;
    if (difference.kind != Difference::Kind::kRate) {
      answer_.differences.push_back(difference);  // however rare it is
      return;
    }
    if (rate_changed && difference.score >= options_.least_score) answer_.differences.push_back(difference);
    const std::size_t arguments = std::min(statement.sides[0].arguments.size(), statement.sides[1].arguments.size());
    for (std::size_t a = 0; a < arguments; ++a) {
      Difference one = difference;
      one.kind = Difference::Kind::kArgument;
      one.argument = statement.site->argument_names()[a];
      compare_arguments(statement.sides[0].arguments[a], statement.sides[1].arguments[a], &one);
      if (one.distance >= options_.least_distance && one.score >= options_.least_score) {
        answer_.differences.push_back(std::move(one));
      }
    }
  }

 private:
  static void compare_arguments(const ArgumentSample& a, const ArgumentSample& b, Difference* difference) {
    if (!a.numbers.empty() && !b.numbers.empty()) {
      compare_numbers(a.numbers, b.numbers, difference);
    } else if (a.texts_seen != 0 && b.texts_seen != 0) {
      compare_texts(a, b, difference);
    }
  }

  // The greatest distance between the two distribution functions.
  static void compare_numbers(std::vector<double> a, std::vector<double> b, Difference* difference) {
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
      difference->distance =
          std::max(difference->distance, std::fabs(static_cast<double>(i) / n - static_cast<double>(j) / m));
    }
    difference->score = score_of_distance(difference->distance, n, m);
    difference->from = "median " + short_number(a[(a.size() - 1) / 2]);
    difference->to = "median " + short_number(b[(b.size() - 1) / 2]);
  }

  static void compare_texts(const ArgumentSample& a, const ArgumentSample& b, Difference* difference) {
    std::map<std::string, std::pair<double, double>> both;
    for (const auto& [text, count] : a.texts) both[text].first = static_cast<double>(count);
    for (const auto& [text, count] : b.texts) both[text].second = static_cast<double>(count);
    const auto n = static_cast<double>(a.texts_seen);
    const auto m = static_cast<double>(b.texts_seen);
    // Texts that came rarely tell nothing one by one: they are counted together.
    constexpr double kFew = 5;
    std::pair<double, double> few{static_cast<double>(a.other_texts), static_cast<double>(b.other_texts)};
    double g = 0;
    double distance = 0;
    double classes = 0;
    const auto add = [&](const std::pair<double, double>& counts) {
      const double total = counts.first + counts.second;
      if (total == 0) return;
      g += g_term(counts.first, total * n / (n + m)) + g_term(counts.second, total * m / (n + m));
      distance += std::fabs(counts.first / n - counts.second / m) / 2;
      ++classes;
    };
    for (const auto& [text, counts] : both) {
      if (counts.first + counts.second >= 2 * kFew) {
        add(counts);
      } else {
        few.first += counts.first;
        few.second += counts.second;
      }
    }
    add(few);
    difference->distance = distance;
    difference->score = classes > 1 ? score_of_chi_square(g, classes - 1) : 0;
    difference->from = most_frequent(a);
    difference->to = most_frequent(b);
  }

  static std::string most_frequent(const ArgumentSample& sample) {
    const auto most = std::max_element(sample.texts.begin(), sample.texts.end(),
                                       [](const auto& x, const auto& y) { return x.second < y.second; });
    const double share = 100 * static_cast<double>(most->second) / static_cast<double>(sample.texts_seen);
    char text[32];
    std::snprintf(text, sizeof text, " (%.3g %%)", share);
    return "'" + most->first + "'" + text;
  }

  const DiffOptions& options_;
  DiffAnswer& answer_;
};

}  // namespace

// By Wilson and Hilferty the cube root of a chi square is nearly normal; its tail is taken from the logarithm, for the
// probability itself is often below the least double.
double score_of_chi_square(double value, double degrees) {
  if (value <= 0) return 0;
  double z = std::sqrt(value);
  if (degrees > 1) {
    const double k = 2.0 / (9.0 * degrees);
    z = (std::cbrt(value / degrees) - (1 - k)) / std::sqrt(k);
  }
  constexpr double kLog10OfE = 0.4342944819032518;
  constexpr double kFar = 20;  // beyond, erfc is no number any more
  const double sides = degrees > 1 ? 0.5 : 1;
  if (z < kFar) return std::max(0.0, -std::log10(sides * std::erfc(z / std::sqrt(2.0))));
  return kLog10OfE * (z * z / 2 + std::log(z * std::sqrt(2 * 3.141592653589793) / (2 * sides)));
}

double score_of_distance(double distance, double n, double m) {
  constexpr double kLog10OfE = 0.4342944819032518;
  const double size = n * m / (n + m);
  const double exponent = 2 * distance * distance * size;  // p = 2 exp(-2 D^2 nm/(n+m)), the leading term
  return std::max(0.0, kLog10OfE * (exponent - std::log(2.0)));
}

DiffAnswer diff_logs(const Subject& before, const Subject& after, const DiffOptions& options) {
  DiffAnswer answer;
  Statements statements;
  answer.failures = Collector(before, 0, &statements).run();
  const auto more = Collector(after, 1, &statements).run();
  answer.failures.insert(answer.failures.end(), more.begin(), more.end());
  answer.seconds_before = seconds_of(*before.logs);
  answer.seconds_after = seconds_of(*after.logs);
  answer.statements = statements.size();
  Judge comparison(options, &answer);
  for (const auto& [id, statement] : statements) comparison.compare(statement);
  std::stable_sort(answer.differences.begin(), answer.differences.end(), [](const Difference& a, const Difference& b) {
    return a.score != b.score ? a.score > b.score : a.before + a.after > b.before + b.after;
  });
  return answer;
}

}  // namespace steno::query
