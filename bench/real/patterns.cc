#include "real/patterns.h"

#include <filesystem>
#include <fstream>

namespace steno::bench {
namespace {

constexpr const char* kFormat = "a word in a format";
constexpr const char* kText = "a repeated text";
constexpr const char* kRare = "a rare key";
constexpr const char* kAbsent = "not there";
constexpr const char* kNumber = "a number inside keys";
constexpr const char* kBegin = "a beginning";
constexpr const char* kEnd = "an end";
constexpr const char* kRegex = "a regular expression";
constexpr const char* kBare = "one without a literal";
constexpr const char* kCase = "either case";
constexpr const char* kLetter = "a letter";

// The `size` characters after `before`, where that comes first in the second half of the file.
std::string text_after(const std::string& messages, const std::string& before, std::size_t size) {
  std::ifstream file(messages, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(std::filesystem::file_size(messages) / 2));
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(before);
    if (at != std::string::npos && line.size() >= at + before.size() + size)
      return line.substr(at + before.size(), size);
  }
  return before;
}

}  // namespace

std::vector<Pattern> service_patterns(const std::string& messages) {
  const std::string span = text_after(messages, "span ", 36);
  const std::string key = text_after(messages, "lookup of ", 12);
  return {
      {kFormat, "connections", 5},
      {kFormat, "lookup", 5},
      {kFormat, "retrying", 5},
      {kFormat, "took"},
      {kFormat, "bytes in"},
      {kFormat, ", attempt 2"},
      {kText, "charge card"},
      {kText, "timed out"},
      {kText, "DELETE"},
      {kText, "/reviews/"},
      {kRare, key, 5},
      {kRare, "user:0099991", 5},
      {kRare, span, 5},
      {kRare, span.substr(9, 14)},
      {kAbsent, "xylophone", 5},
      {kAbsent, "user:9999999", 5},
      {kAbsent, "00000000-0000", 5},
      {kAbsent, "/api/v4/"},
      {kNumber, "7087", 5},
      {kNumber, "31337", 5},
      {kNumber, "0042", 5},
      {kNumber, "99"},
      {kBegin, "^span 00"},
      {kBegin, "^lookup of user:00070"},
      {kBegin, "/api/v2/orders"},
      {kBegin, "user:000"},
      {kEnd, "7: true$"},
      {kEnd, "999 us$"},
      {kEnd, "\\.json 404"},
      {kRegex, "user:00[0-9]+7: false", 3},
      {kRegex, "GET /api/v[12]/users/[0-9]+ ", 3},
      {kRegex, "took [0-9]{6,} us", 3},
      {kRegex, "(POST|PUT) .* 500,", 3},
      {kRegex, "refused|reset|expired", 3},
      {kRegex, "span [0-9a-f]*ffff[0-9a-f]*-", 3},
      {kRegex, "/orders/[0-9]+/items\\.json", 3},
      {kRegex, "retrying.*timed", 3},
      {kRegex, "xylo(phone|graph)", 3},
      {kBare, "[0-9]{8}"},
      {kBare, "[A-Z]{5,}"},
      {kBare, "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}"},
      {kBare, "\\.25[0-4]:[0-9]+ [A-Z]+ "},
      {kCase, "CHARGE card", 1, true},
      {kCase, "user:0007", 1, true},
      {kCase, "Xylophone", 1, true},
      {kCase, "delete /API/v[0-9]/[a-f]", 1, true},
      {kLetter, "q"},
      {kLetter, "Z"},
      {kLetter, "7"},
      {kLetter, "e"},
  };
}

std::vector<Pattern> demo_patterns(const std::string& messages) {
  const std::string key = text_after(messages, "get ", 12);
  return {
      {kFormat, "evicted", 5},
      {kFormat, "contended", 5},
      {kFormat, "slow request", 5},
      {kFormat, "client"},
      {kFormat, "locked shard 1"},
      {kFormat, "bytes in"},
      {kFormat, "connected from"},
      {kText, "DELETE"},
      {kText, "replaced"},
      {kText, "not found"},
      {kText, "not found, 0 bytes"},
      {kRare, key, 5},
      {kRare, "user:0007087", 5},
      {kRare, "user:0199999", 5},
      {kRare, "10.0.1.44:"},
      {kAbsent, "xylophone", 5},
      {kAbsent, "user:9999999", 5},
      {kAbsent, "too large", 5},
      {kNumber, "7087", 5},
      {kNumber, "0042", 5},
      {kNumber, "31337", 5},
      {kNumber, "99"},
      {kBegin, "^evicted user:00"},
      {kBegin, "^get user:00070"},
      {kBegin, "user:000"},
      {kBegin, "request 1"},
      {kEnd, "true$"},
      {kEnd, "99: miss$"},
      {kEnd, "00\\.0 us$"},
      {kEnd, "SCAN user:00.*7$"},
      {kRegex, "user:00[0-9]+7: miss", 3},
      {kRegex, "in [0-9]{3}\\.[0-9] us", 3},
      {kRegex, "(PUT|DELETE) user:01[0-9]*9$", 3},
      {kRegex, "hit, [0-9]{5} bytes", 3},
      {kRegex, "client [0-9]+: SCAN", 3},
      {kRegex, "evicted.*of 3145728", 3},
      {kRegex, "new|replaced", 3},
      {kRegex, "xylo(phone|graph)", 3},
      {kRegex, "get user:0{3}[1-3]{4}", 3},
      {kBare, "[0-9]{8}"},
      {kBare, "[A-Z]{5,}"},
      {kBare, "[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+:[0-9]+"},
      {kBare, "[x-z]{2}"},
      {kCase, "MISS", 1, true},
      {kCase, "User:0007", 1, true},
      {kCase, "xyloPhone", 1, true},
      {kLetter, "z"},
      {kLetter, "G"},
      {kLetter, "7"},
      {kLetter, "e"},
  };
}

std::vector<Pattern> lines_patterns(const std::string& messages) {
  const std::string job = text_after(messages, "job ", 12);
  const std::string file = text_after(messages, "GET ", 9);
  return {
      {kFormat, "publickey"},
      {kFormat, "upstream timed out"},
      {kFormat, "nginx"},
      {kFormat, "checkpoint complete"},
      {kFormat, "Killed process"},
      {kFormat, "worker\\["},
      {kFormat, "retrying in"},
      {kFormat, ": LOG:  "},
      {kFormat, "gateway.Pool"},
      {kText, file},
      {kText, ".html HTTP"},
      {kText, "web-1 sshd"},
      {kText, "Nov  1 00:01"},
      {kText, "_pkey"},
      {kRare, job},
      {kRare, "job " + job + " done"},
      {kRare, job.substr(3, 8)},
      {kRare, "from 10.2.77.7 "},
      {kRare, "10.1.200.201"},
      {kRare, " 65535 "},
      {kAbsent, "xylophone"},
      {kAbsent, "job 00000000000g"},
      {kAbsent, "10.9.1.1"},
      {kAbsent, "] TRACE"},
      {kNumber, "7087"},
      {kNumber, "31337"},
      {kNumber, "0042"},
      {kNumber, "99"},
      {kBegin, "^Nov  1 00:0[13]"},
      {kBegin, "^Nov .*kernel: .0"},
      {kBegin, "10\\.0\\."},
      {kEnd, "ahead$"},
      {kEnd, "7 us$"},
      {kEnd, "user [a-m]*$"},
      {kRegex, "job [0-9a-f]+ failed"},
      {kRegex, "(hit|miss)=12[0-9] "},
      {kRegex, "port [0-9]{5} ssh2"},
      {kRegex, "GET /[a-z]+ HTTP"},
      {kRegex, "status=1?[37]$"},
      {kRegex, "Killed|exhausted|violates"},
      {kRegex, "cache [a-z]*: hit=0"},
      {kRegex, "xylo(phone|graph)"},
      {kBare, "[0-9]{9}"},
      {kBare, "[A-Z]{6,}"},
      {kBare, "\\.25[0-4]\\.[0-9]+ "},
      {kCase, "PUBLICKEY", 1, true},
      {kCase, "xyloPhone", 1, true},
      {kLetter, "Q"},
      {kLetter, "7"},
      {kLetter, "e"},
  };
}

}  // namespace steno::bench
