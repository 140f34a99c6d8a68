#include "reader/session_order.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace steno::reader {

std::vector<SessionInFile> sessions_in_order(const LogSet& logs) {
  std::vector<SessionInFile> all;
  std::map<std::uint64_t, std::vector<std::size_t>> places;  // by session
  for (std::size_t f = 0; f < logs.files().size(); ++f) {
    for (const auto& session : logs.files()[f]->sessions()) {
      if (session->known) places[session->info.session_id].push_back(all.size());
      SessionInFile& one = all.emplace_back(SessionInFile{f, session.get()});
      if (!session->info.elsewhere) continue;
      for (const format::RingStart& start : *session->info.elsewhere) one.before += start.records;
    }
  }
  for (const auto& [id, of_one] : places) {
    std::vector<SessionInFile> parts;
    for (const std::size_t place : of_one) parts.push_back(all[place]);
    std::stable_sort(parts.begin(), parts.end(), [](const SessionInFile& a, const SessionInFile& b) {
      return std::tie(a.before, a.session->min_clock) < std::tie(b.before, b.session->min_clock);
    });
    for (std::size_t i = 0; i < parts.size(); ++i) all[of_one[i]] = parts[i];
  }
  std::stable_sort(all.begin(), all.end(), [](const SessionInFile& a, const SessionInFile& b) {
    return a.session->began() < b.session->began();
  });
  return all;
}

}  // namespace steno::reader
