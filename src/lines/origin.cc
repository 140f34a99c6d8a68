#include "lines/origin.h"

#include <set>
#include <string>

#include "reader/log_set.h"

namespace steno::lines {

Origin origin_of(const reader::LogSet& logs) {
  std::set<std::string> hosts;
  std::set<std::string> programs;
  for (const auto& file : logs.files()) {
    for (const auto& session : file->sessions()) {
      if (!session->known) continue;
      hosts.insert(session->info.host);
      programs.insert(session->info.program);
    }
  }
  return {hosts.size() > 1, programs.size() > 1};
}

}  // namespace steno::lines
