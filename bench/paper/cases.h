// The 93 cases of the paper's figure 9: records of one statement whose arguments differ in type, number, entropy and
// range, as they lie in a ring.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "real/stream.h"

namespace steno::bench {

enum class Kind { kInt, kLong, kDouble, kRandomString, kZipfString, kWords };
inline constexpr Kind kKinds[] = {Kind::kInt,          Kind::kLong,       Kind::kDouble,
                                  Kind::kRandomString, Kind::kZipfString, Kind::kWords};
const char* kind_name(Kind kind);

struct Case {
  Kind kind;
  int size;         // arguments of numbers, characters of a string
  bool sequential;  // numbers count up; else they are random
  bool small;       // numbers of up to two bytes; else of at least half their type
};

// There are 24 of each of ints, longs and doubles, and 7 of each kind of string.
std::vector<Case> figure9_cases();
// "int, 3 arguments, random, up to 2 bytes"
std::string case_name(const Case& c);
// Makes the stream that logs its records.
std::unique_ptr<Stream> case_stream(const Case& c);

}  // namespace steno::bench
