// Compares two values as a condition does, by C++'s own operators.
#pragma once

#include <string>

namespace steno::test {

// `op`: "==", "!=", "<", "<=", ">" or ">=".
template <class T>
bool compare(const std::string& op, const T& a, const T& b) {
  return op == "=="   ? a == b
         : op == "!=" ? a != b
         : op == "<"  ? a < b
         : op == "<=" ? a <= b
         : op == ">"  ? a > b
                      : a >= b;
}

}  // namespace steno::test
