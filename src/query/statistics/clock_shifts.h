// How far the clocks of hosts are apart, from records of which it is known which came first: a request was sent before
// another host received it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/statistics/pair_keys.h"

namespace steno::query {

// Records of `first` were logged before those of `second` with the same keys.
struct OrderedStatements {
  Statement first;
  Statement second;
  std::vector<PairKey> keys;
};

// The distance of the clocks of two hosts, `host` minus `reference`, in ns.
struct ClockShift {
  std::string reference;
  std::string host;
  std::uint64_t forth = 0;         // pairs whose second record is of `host`
  std::uint64_t back = 0;          // pairs whose second record is of `reference`
  std::int64_t most = INT64_MAX;   // the shift is not greater, by those forth
  std::int64_t least = INT64_MIN;  // and not less, by those back

  bool bounded() const { return forth != 0 && back != 0; }
  // No one shift fits all pairs: it changes while the log goes on.
  bool contradicts() const { return bounded() && least > most; }
  // The likeliest shift of those between the bounds, and how far it is from the farther of them. Only of a shift that
  // is bounded and does not contradict itself.
  std::int64_t middle() const { return least + static_cast<std::int64_t>(range() / 2); }
  std::uint64_t uncertainty() const { return range() - range() / 2; }

 private:
  std::uint64_t range() const { return static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least); }
};

struct ClockShifts {
  std::vector<ClockShift> shifts;  // in the order of the hosts' names
  std::uint64_t left_out = 0;      // keys with another number of first records than of second ones
  std::vector<reader::DecodeFailure> failures;
};

// For each two hosts of which there are pairs. Of a key that repeats, the n-th first record goes with the n-th second
// one, where a host has as many of the former as another has of the latter. Memory: 32 bytes a record.
ClockShifts find_clock_shifts(const Subject& subject, const std::vector<OrderedStatements>& ordered);

}  // namespace steno::query
