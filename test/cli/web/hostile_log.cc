// hostile_log FILE: records that a page could trip over. Markup and control characters in messages, names of loggers
// and threads; texts of a megabyte; numbers that JSON does not have; times before 1970; spans, one of them without an
// end.
#include <fstream>
#include <limits>
#include <string>

#include "../../reader/file_builder.h"

int main(int argc, char** argv) {
  using steno::Level;
  using steno::test::Args;
  using steno::test::FileBuilder;
  if (argc != 2) return 2;
  const std::string markup = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\x1b[31m\r\n\t";
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  FileBuilder file;
  steno::format::SessionBlock session;
  session.session_id = 0xFFFFFFFFFFFFFFFF;
  session.pid = 4'000'000'000;
  session.start_wall = -1000;
  session.clock_kind = 1;
  session.program = markup;
  session.host = markup;
  file.session(session);
  file.clock({{1000, -2'000'000'000, 1.0}});
  file.site(16, Level::kInfo, "{text} " + markup, "S", 1);
  file.site(17, Level::kError, "{number} {whole}", "dm", 2);
  file.site(18, Level::kInfo, "<b>: begin", "mm", 3);
  file.site(19, Level::kCritical, "plain", "", 4, steno::wire::Style::kBrace, "<u>src/\"x\".cc");
  file.site_in_context(20, 19, "SmS", {markup, "span", "</tenant>"});
  file.logger(1, markup).logger(2, "__proto__");
  file.thread(0, 1, markup).thread(1, 2, "constructor");
  std::uint64_t at = 1000;
  for (const std::string& text : {markup, std::string("\0\x80\xFF\xC0 broken", 11), std::string(1 << 20, 'x'),
                                  std::string(1 << 20, '<'), std::string(100'000, '\n'), std::string()}) {
    file.log(0, 16, at++, Args().text(text), 1);
  }
  for (const double number : {kNan, -kNan, kInfinity, -kInfinity, 0.0, -0.0, 5e-324, 1.7e308, -3.5, 1.0, 1024.0}) {
    at += 1'000'000'000;
    file.log(1, 17, at, Args().f64(number).u64(UINT64_MAX), 2);
  }
  file.log(0, 19, at + 1).log(1, 20, at + 2, Args().text(markup).u64(7).text("a\"b\\c"));
  file.flush();
  std::ofstream(argv[1], std::ios::binary) << file.end().bytes();
}
