// A measurement in a process of its own, so that its CPU time and page faults are one logger's.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace steno::bench {

// Forks; `measure` runs in the child, given the path of a log file to be made in a directory of its own under
// `directory`, which is removed afterwards. Returns its numbers; ends the program where the child fails.
std::vector<double> in_own_process(const std::string& directory,
                                   const std::function<std::vector<double>(const std::string& log)>& measure);

}  // namespace steno::bench
