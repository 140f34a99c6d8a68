// The paper's figure 9: for how many of 93 kinds of records a compressor lets the most of them through, by the
// bandwidth of the disk. A compressor's throughput is the lower of what it compresses and of what its output leaves of
// the bandwidth, since the two overlap.
//
//   figure9 [--megabytes N] [--seconds N] [--rounds N] ...
//     defaults: 64 MB of records a case; a compressor of text has 1 second, and then stops; the least of 3 rounds
#include <steno/log.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "common/harness.h"
#include "paper/cases.h"
#include "paper/compressors.h"
#include "query/commands.h"
#include "query/tables.h"
#include "real/encoder.h"

namespace steno::bench {
namespace {

constexpr double kMega = 1e6;
constexpr int kBandwidths[] = {1, 3, 10, 30, 100, 250, 500, 1'000, 2'200, 5'000, 10'000};
constexpr double kPaperBandwidth = 250;
constexpr double kLeastBandwidth = 0.1;
constexpr double kMostBandwidth = 100'000;
constexpr double kStep = 1.02;  // from one bandwidth to the next, where changes are looked for
constexpr double kForever = std::numeric_limits<double>::infinity();
const std::string kSteno = "steno";

struct Scale {
  std::size_t bytes;
  double seconds;
  int rounds;
};

struct Contender {
  std::string family;
  std::string name;
  std::vector<Compression> of_case;

  double throughput(std::size_t c, double megabytes) const {
    const Compression& found = of_case[c];
    return std::min(found.bytes_per_second, megabytes * kMega / found.ratio);
  }
};

// Steno's encoder walks the records of a ring, and packs them into blocks.
Compression encode_records(const std::vector<std::byte>& ring, std::size_t records, int rounds, format::Effort effort,
                           const Scale& scale) {
  const EncodeScale encode_scale{records, std::min(std::size_t{1} << 19, scale.bytes / 16),
                                 static_cast<std::size_t>(rounds)};
  const EncodeCost cost = encode(ring, encode_scale, effort);
  const double record = static_cast<double>(ring.size()) / static_cast<double>(records);
  return {record / (cost.walk_ns + cost.write_ns) * 1e9, cost.bytes / record};
}

std::size_t records_of(const Case& c, std::size_t bytes) {
  constexpr std::size_t kFew = 1'000;
  const auto stream = case_stream(c);
  return bytes * kFew / ring_bytes(*stream, kFew).size();
}

std::vector<Contender> measure(const std::vector<Case>& cases, const Scale& scale) {
  static constexpr format::Effort kEfforts[] = {format::Effort::kQuick, format::Effort::kBrisk, format::Effort::kFull};
  std::vector<Contender> all = {
      {kSteno, "steno, quick", {}}, {kSteno, "steno, brisk", {}}, {kSteno, "steno, full", {}}};
  std::vector<NamedCompressor> compressors = make_compressors();
  for (const NamedCompressor& c : compressors) all.push_back({c.family, c.name, {}});
  for (const Case& c : cases) {
    const auto stream = case_stream(c);
    const std::size_t records = records_of(c, scale.bytes);
    const std::vector<std::byte> ring = ring_bytes(*stream, records);
    std::printf("%s, MB/s (output / input):", case_name(c).c_str());
    for (std::size_t i = 0; i < all.size(); ++i) {
      Compression found;
      if (i < std::size(kEfforts)) {
        found = encode_records(ring, records, scale.rounds, kEfforts[i], scale);
      } else {
        const std::span<const char> in(reinterpret_cast<const char*>(ring.data()), ring.size());
        found = compress(*compressors[i - std::size(kEfforts)].compressor, in, scale.seconds, scale.rounds);
      }
      all[i].of_case.push_back(found);
      std::printf(" %s %.0f (%.3f)", all[i].name.c_str(), found.bytes_per_second / kMega, found.ratio);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  return all;
}

const Contender& best(const std::vector<Contender>& all, std::size_t c, double megabytes) {
  return *std::max_element(all.begin(), all.end(), [&](const Contender& a, const Contender& b) {
    return a.throughput(c, megabytes) < b.throughput(c, megabytes);
  });
}

// Puts into a column how many of the cases each contender has, by the name that `name_of` gives it; also those that
// have none.
template <class NameOf>
void note_counts(Suite* suite, const std::string& column, const std::vector<Contender>& all,
                 const std::vector<std::size_t>& cases, double megabytes, NameOf name_of) {
  std::vector<std::string> names;
  for (const Contender& contender : all) {
    if (names.empty() || names.back() != name_of(contender)) names.push_back(name_of(contender));
  }
  for (const std::string& name : names) {
    const auto won = std::count_if(cases.begin(), cases.end(),
                                   [&](std::size_t c) { return name_of(best(all, c, megabytes)) == name; });
    note(suite, name, column, static_cast<double>(won));
  }
}

std::vector<std::size_t> cases_of(const std::vector<Case>& cases, Kind kind) {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    if (cases[c].kind == kind) found.push_back(c);
  }
  return found;
}

std::string family(const Contender& contender) {
  return contender.family;
}

Suite by_bandwidth(std::string name, std::string title, const std::vector<Contender>& all,
                   std::string (*name_of)(const Contender&)) {
  Suite suite{std::move(name), std::move(title), "cases", false, {}, {}};
  std::vector<std::size_t> cases(all.front().of_case.size());
  std::iota(cases.begin(), cases.end(), 0);
  for (const int bandwidth : kBandwidths) {
    note_counts(&suite, std::to_string(bandwidth) + " MB/s", all, cases, bandwidth, name_of);
  }
  return suite;
}

Suite by_kind(const std::vector<Contender>& all, const std::vector<Case>& cases) {
  Suite suite{"paper_figure9_kinds",
              "Cases with the highest throughput at 250 MB/s, by what is logged",
              "cases",
              false,
              {},
              {}};
  for (const Kind kind : kKinds) {
    note_counts(&suite, kind_name(kind), all, cases_of(cases, kind), kPaperBandwidth, family);
  }
  return suite;
}

// Says which family has the most cases, and at which bandwidths another takes its place.
Suite changes(const std::vector<Contender>& all, std::size_t cases) {
  Suite suite{"paper_figure9_changes", "Where the compressor with the most cases changes", "MB/s", false, {}, {}};
  std::string leader;
  for (double bandwidth = kLeastBandwidth; bandwidth < kMostBandwidth; bandwidth *= kStep) {
    std::map<std::string, int> won;
    for (std::size_t c = 0; c < cases; ++c) ++won[best(all, c, bandwidth).family];
    const auto most =
        std::max_element(won.begin(), won.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most->second == won[leader]) continue;
    const std::string row = leader.empty() ? most->first + " has the most from" : leader + " → " + most->first;
    suite.rows.push_back({row, {{"bandwidth", bandwidth}}});  // the same two may change places again
    leader = most->first;
  }
  return suite;
}

// Takes the medians over the cases of a kind.
Suite ranges(const std::vector<Contender>& all, const std::vector<Case>& cases) {
  Suite suite{"paper_figure9_ranges",
              "The bandwidths at which steno has the highest throughput, by what is logged",
              "MB/s, medians of the cases",
              false,
              {},
              {}};
  for (const Kind kind : kKinds) {
    std::vector<double> from;  // of cases in which another leads below
    std::vector<double> to;    // and above
    double never = 0;
    double at_least = 0;
    double at_most = 0;
    double with_gaps = 0;
    for (const std::size_t c : cases_of(cases, kind)) {
      double first = kForever;
      double last = 0;
      bool leads = false;
      int begins = 0;
      for (double bandwidth = kLeastBandwidth; bandwidth < kMostBandwidth; bandwidth *= kStep) {
        const bool led = std::exchange(leads, best(all, c, bandwidth).family == kSteno);
        if (!leads) continue;
        if (!led) ++begins;
        first = std::min(first, bandwidth);
        last = bandwidth;
      }
      never += last == 0 ? 1 : 0;
      with_gaps += begins > 1 ? 1 : 0;
      if (last == 0) continue;
      if (first > kLeastBandwidth)
        from.push_back(first);
      else
        ++at_least;
      if (leads)
        ++at_most;
      else
        to.push_back(last);
    }
    note(&suite, kind_name(kind), "from", from.empty() ? kForever : median(from));
    note(&suite, kind_name(kind), "to", to.empty() ? kForever : median(to));
    note(&suite, kind_name(kind), "cases from the least bandwidth on", at_least);
    note(&suite, kind_name(kind), "cases up to the most", at_most);
    note(&suite, kind_name(kind), "cases with another in between", with_gaps);
    note(&suite, kind_name(kind), "cases in which it never has it", never);
  }
  return suite;
}

std::vector<Suite> costs(const std::vector<Contender>& all, const std::vector<Case>& cases) {
  Suite speed{"paper_figure9_speed",
              "How fast each compresses the records, one core",
              "MB/s, medians of the cases",
              false,
              {},
              {}};
  Suite size{"paper_figure9_size", "What is left of the records", "output / input, medians of the cases", true, {}, {}};
  for (const Contender& contender : all) {
    for (const Kind kind : kKinds) {
      std::vector<double> speeds;
      std::vector<double> sizes;
      for (const std::size_t c : cases_of(cases, kind)) {
        speeds.push_back(contender.of_case[c].bytes_per_second / kMega);
        sizes.push_back(contender.of_case[c].ratio);
      }
      if (speeds.empty()) continue;
      note(&speed, contender.name, kind_name(kind), median(speeds));
      note(&size, contender.name, kind_name(kind), median(sizes));
    }
  }
  return {speed, size};
}

std::vector<Suite> run(const Scale& scale, std::vector<Case> cases) {
  const std::vector<Contender> all = measure(cases, scale);
  const std::string title =
      "Cases of " + std::to_string(cases.size()) + " with the highest throughput, by the bandwidth of the disk";
  std::vector<Suite> suites = {
      by_bandwidth("paper_figure9", title, all, family),
      by_bandwidth("paper_figure9_levels", "The same by level", all, [](const Contender& c) { return c.name; }),
      by_kind(all, cases), changes(all, cases.size()), ranges(all, cases)};
  for (const Suite& suite : costs(all, cases)) suites.push_back(suite);
  return suites;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  Scale scale{take_number(&argc, argv, "--megabytes", 64) * 1'000'000,
              static_cast<double>(take_number(&argc, argv, "--seconds", 1)),
              static_cast<int>(take_number(&argc, argv, "--rounds", 3))};
  const Flags flags = parse_flags(argc, argv);
  std::vector<Case> cases = figure9_cases();
  if (flags.smoke) {
    scale = {100'000, 0.001, 1};
    std::erase_if(cases, [](const Case& c) { return c.size != 1 && c.size != 10; });
  }
  pin(0);
  return finish(flags, run(scale, cases));
}
