// golden_texts FILE: prints what a log of each line of FILE (test/text/golden/texts.tsv) would print, and says which
// are others than the file says. For C libraries and C++ libraries for which the tests themselves are not built.
#include "../text/golden_texts.h"

#include <cstdio>

namespace {

using namespace steno;
using namespace steno::text::testing;

bool is_right(const GoldenText& line) {
  const auto style = line.style == "printf" ? wire::Style::kPrintf : wire::Style::kBrace;
  std::vector<Argument> arguments;
  arguments.push_back(read_value(static_cast<ArgType>(line.type[0]), line.value));
  const auto printer = text::Printer::compile(style, unescape(line.format), types_of(arguments));
  const std::string text = printer.ok() ? printed_values(printer.value(), values_of(arguments))
                                        : "!" + std::string(printer.status().message());
  if (text == unescape(line.text)) return true;
  std::printf("%s of %s %s is '%s', not '%s'\n", line.format.c_str(), line.type.c_str(), line.value.c_str(),
              text.c_str(), line.text.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<GoldenText> all = golden_texts(argc > 1 ? argv[1] : "");
  std::size_t wrong = 0;
  for (const GoldenText& line : all) wrong += is_right(line) ? 0 : 1;
  std::printf("%zu texts, %zu wrong\n", all.size(), wrong);
  return all.size() > 4000 && wrong == 0 ? 0 : 1;
}
