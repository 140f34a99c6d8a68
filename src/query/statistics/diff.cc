#include "query/statistics/diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

#include "query/filter/filter.h"
#include "query/statistics/argument_sample.h"
#include "query/statistics/significance.h"

namespace steno::query {
namespace {

using Change = Difference::Kind;

struct Side {
  std::uint64_t records = 0;
  std::vector<ArgumentSample> arguments;
  std::map<std::string, ArgumentSample> fields;  // of context, of the records that have them
};

struct Compared {
  const reader::Site* site = nullptr;
  Side sides[2];
};

using Statements = std::map<std::uint64_t, Compared>;  // by stable id

double seconds_of(const Subject& subject) {
  const TimeSpan span = recorded_span(*subject.logs).cut_to(subject.span);
  if (span.empty()) return 1e-9;
  return std::max(
      static_cast<double>(static_cast<std::uint64_t>(span.last) - static_cast<std::uint64_t>(span.first)) * 1e-9, 1e-9);
}

class Collector {
 public:
  Collector(const Subject& subject, int side, Statements* statements)
      : subject_(subject), side_(side), statements_(*statements) {}

  std::vector<reader::DecodeFailure> run() {
    PartWalk walk(subject_);
    walk.run([&](unsigned, const Part& part) { count(part); });
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
    std::uint64_t records = 0;
    {
      const std::lock_guard lock(mutex_);
      records = statements_[site.info().stable_id].sides[side_].records;
    }
    const RowSampler rows(part, records);
    const std::vector<std::string>& names = site.argument_names();
    const std::size_t arguments = site.info().argument_types().size();
    std::vector<ArgumentSample> samples(std::max(arguments, names.size()));
    for (std::uint32_t c = 0; c < samples.size(); ++c) {
      if (!site.presences().is_field(c)) sample_column(part, c, rows, &samples[c]);
    }
    const std::lock_guard lock(mutex_);
    Side& side = statements_[site.info().stable_id].sides[side_];
    side.arguments.resize(std::max(side.arguments.size(), arguments));
    for (std::size_t c = 0; c < arguments; ++c) side.arguments[c].add(samples[c]);
    for (std::size_t c = arguments; c < names.size(); ++c) {
      if (!site.presences().is_field(c)) side.fields[names[c]].add(samples[c]);
    }
  }

  const Subject& subject_;
  int side_;
  Statements& statements_;
  std::mutex mutex_;
};

// How far a factor is from 1, 0 to 1: 0.5 of twice or half as much.
double effect_of_factor(double factor) {
  return factor <= 0 ? 1 : 1 - std::min(factor, 1 / factor);
}

class Judge {
 public:
  Judge(const DiffOptions& options, DiffAnswer* answer) : options_(options), answer_(*answer) {}

  void compare(const Statements& statements) {
    for (const auto& [id, statement] : statements) {
      answer_.records_before += statement.sides[0].records;
      answer_.records_after += statement.sides[1].records;
    }
    find_load(statements);
    for (const auto& [id, statement] : statements) compare(statement);
    for (const std::string& name : fields_left_out_) answer_.counters.push_back("the field of context " + name);
    keep_the_certain();
  }

 private:
  static constexpr double kFarOut = 3;  // a score that chance seldom makes

  static bool is_factor(double ratio, double least) { return ratio >= least || ratio <= 1 / least; }

  // The factor by which the load changed. The median of those of the statements comes first, so that no single one
  // decides; where two are in the middle, the one that says less. It is only as exact as one statement's factor, so the
  // load is then taken from the records of all statements that chance allows to have that factor. All rates are
  // compared with it, however near to 1 it is: else a load of 1.24 leaves half of the statements just above 1.25.
  void find_load(const Statements& statements) {
    constexpr std::uint64_t kEnough = 30;  // records on either side for a factor that tells something
    constexpr double kLeastShown = 1.01;   // of a large log a smaller change is certain, too
    std::vector<double> factors;
    for (const auto& [id, statement] : statements) {
      if (statement.sides[0].records < kEnough || statement.sides[1].records < kEnough) continue;
      factors.push_back(std::log(static_cast<double>(statement.sides[1].records) / answer_.seconds_after /
                                 (static_cast<double>(statement.sides[0].records) / answer_.seconds_before)));
    }
    if (factors.empty()) return;
    std::sort(factors.begin(), factors.end());
    const double low = factors[(factors.size() - 1) / 2];
    const double high = factors[factors.size() / 2];
    const double median = std::exp(std::fabs(low) < std::fabs(high) ? low : high);
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    for (const auto& [id, statement] : statements) {
      const std::uint64_t n = statement.sides[0].records;
      const std::uint64_t m = statement.sides[1].records;
      if (n < kEnough || m < kEnough || score_of(n, m, median) > kFarOut) continue;
      before += n;
      after += m;
    }
    if (before == 0 || after == 0) return;
    Difference all = rates(answer_.records_before, answer_.records_after);
    all.kind = Change::kAll;
    all.score = score_of(before, after, 1);
    load_ = static_cast<double>(after) / answer_.seconds_after / (static_cast<double>(before) / answer_.seconds_before);
    all.factor = load_;
    all.effect = effect_of_factor(load_);
    if (all.score >= options_.least_score && is_factor(load_, kLeastShown)) {
      answer_.differences.push_back(std::move(all));
    }
  }

  // How far two numbers of records are from what they would be if the rate had changed by `factor`.
  double score_of(std::uint64_t before, std::uint64_t after, double factor) const {
    const auto n = static_cast<double>(before);
    const auto m = static_cast<double>(after);
    const double share = answer_.seconds_before / (answer_.seconds_before + answer_.seconds_after * factor);
    return score_of_chi_square(g_term(n, (n + m) * share) + g_term(m, (n + m) * (1 - share)), 1);
  }

  // Everything about rates; the score against the load.
  Difference rates(std::uint64_t before, std::uint64_t after) {
    Difference difference;
    difference.before = before;
    difference.after = after;
    const auto n = static_cast<double>(before);
    const auto m = static_cast<double>(after);
    difference.rate_before = n / answer_.seconds_before;
    difference.rate_after = m / answer_.seconds_after;
    difference.share_before = n / static_cast<double>(std::max<std::uint64_t>(answer_.records_before, 1));
    difference.share_after = m / static_cast<double>(std::max<std::uint64_t>(answer_.records_after, 1));
    difference.score = score_of(before, after, load_);
    ++comparisons_;
    return difference;
  }

  void compare(const Compared& statement) {
    Difference difference = rates(statement.sides[0].records, statement.sides[1].records);
    difference.site = statement.site;
    const bool is_new = difference.before == 0;
    if (is_new || difference.after == 0) {
      difference.kind = is_new ? Change::kNew : Change::kGone;
      difference.effect = 1;
      answer_.differences.push_back(std::move(difference));
      return;
    }
    difference.kind = Change::kRate;
    difference.factor = difference.rate_after / difference.rate_before / load_;
    difference.effect = effect_of_factor(difference.factor);
    if (is_factor(difference.factor, options_.least_rate)) answer_.differences.push_back(difference);
    const std::size_t arguments = std::min(statement.sides[0].arguments.size(), statement.sides[1].arguments.size());
    for (std::size_t a = 0; a < arguments; ++a) {
      if (statement.site->presences().is_field(a)) continue;
      difference.argument = statement.site->argument_names()[a];
      const ArgumentSample& before = statement.sides[0].arguments[a];
      const ArgumentSample& after = statement.sides[1].arguments[a];
      const bool texts = before.numbers.empty() && after.numbers.empty();
      if (texts ? all_new(before, after) : before.counts_up() && after.counts_up()) {
        answer_.counters.push_back("{" + difference.argument + "} of '" + difference.site->info().format + "'");
        if (before.absent + after.absent == 0) continue;
      }
      compare(before, after, difference);
    }
    for (const auto& [name, before] : statement.sides[0].fields) {
      const auto after = statement.sides[1].fields.find(name);
      if (after == statement.sides[1].fields.end()) {
        fields_left_out_.insert("'" + name + "', which only the first side has");
        continue;
      }
      if (all_new(before, after->second)) {
        fields_left_out_.insert("'" + name + "'");
        continue;
      }
      difference.argument = name;
      compare(before, after->second, difference);
    }
    for (const auto& [name, after] : statement.sides[1].fields) {
      if (statement.sides[0].fields.count(name) == 0)
        fields_left_out_.insert("'" + name + "', which only the second side has");
    }
  }

  void compare(const ArgumentSample& before, const ArgumentSample& after, Difference difference) {
    ++comparisons_;
    const SampleDifference found = compare_samples(before, after, options_.least_rise);
    difference.values_before = before.size();
    difference.values_after = after.size();
    difference.distance = found.distance;
    if (found.distance >= options_.least_distance && found.distance_score >= options_.least_score) {
      difference.kind = Change::kArgument;
      difference.score = found.distance_score;
      difference.effect = std::min(found.distance, 1.0);
      difference.value = found.value;
      difference.from = found.from;
      difference.to = found.to;
    } else if (found.rise_score > 0 && found.rise_score >= options_.least_score) {
      difference.kind = Change::kValue;
      difference.score = found.rise_score;
      difference.effect = effect_of_factor(found.rise) / 2;  // it is of few records only
      difference.value = found.rare_value;
      difference.from = found.rare_from;
      difference.to = found.rare_to;
    } else {
      return;
    }
    answer_.differences.push_back(std::move(difference));
  }

  // Among so many comparisons some are far out by chance (Bonferroni's correction). Statements that are new or gone are
  // shown however rare they are.
  void keep_the_certain() {
    const double correction = std::log10(static_cast<double>(std::max<std::size_t>(comparisons_, 1)));
    std::erase_if(answer_.differences, [&](Difference& difference) {
      difference.score = std::max(0.0, difference.score - correction);
      const bool always =
          difference.kind == Change::kNew || difference.kind == Change::kGone || difference.kind == Change::kAll;
      return !always && difference.score < options_.least_score;
    });
  }

  const DiffOptions& options_;
  DiffAnswer& answer_;
  double load_ = 1;
  std::size_t comparisons_ = 0;
  std::set<std::string> fields_left_out_;
};

}  // namespace

double rank_of(const Difference& difference) {
  constexpr double kCertain = 20;  // the score from which on more says nothing
  const double certainty = (1 + std::min(difference.score, kCertain) / kCertain) / 2;
  const bool important = difference.site != nullptr && difference.site->reaches(Level::kWarn);
  return difference.effect * certainty * (important ? 2 : 1);
}

DiffAnswer diff_logs(const Subject& before, const Subject& after, const DiffOptions& options) {
  DiffAnswer answer;
  Statements statements;
  answer.failures = Collector(before, 0, &statements).run();
  const auto more = Collector(after, 1, &statements).run();
  answer.failures.insert(answer.failures.end(), more.begin(), more.end());
  answer.seconds_before = seconds_of(before);
  answer.seconds_after = seconds_of(after);
  answer.statements = statements.size();
  Judge(options, &answer).compare(statements);
  std::stable_sort(answer.differences.begin(), answer.differences.end(), [](const Difference& a, const Difference& b) {
    const bool a_first = a.kind == Change::kAll;
    if (a_first || b.kind == Change::kAll) return a_first && b.kind != Change::kAll;
    return rank_of(a) > rank_of(b);
  });
  return answer;
}

}  // namespace steno::query
