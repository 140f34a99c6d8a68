// Finds statements of which it is known which come first, without being told: a request on one host encloses the work
// that it causes on another.
#pragma once

#include <vector>

#include "query/statistics/clock_shifts.h"

namespace steno::query {

// For each two hosts at most one pair of ways, there and back; the same statements of other hosts are not repeated.
//
// Two statements of one host enclose two of another if, for nearly all of the keys that each of the four has once, the
// time between the former is not shorter than that between the latter; if the longer time grows with the shorter one by
// as much (the slope is 0.5 to 1.5, and five of its standard errors at least); and if there is a shift that brings all
// of their records into order. There must be 20 keys at least. If several such statements are found, those that bound
// the shift best are returned; none if the bounds of others exclude theirs. Keys are integers and texts, by one name or
// two. Memory: 50 MB, in which there are up to half a million records of keys that a hash chooses, the same ones
// however many threads read. Time: that of reading all keys, and a second.
std::vector<OrderedStatements> find_ordered_statements(const Subject& subject);

}  // namespace steno::query
