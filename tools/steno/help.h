// The text of --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace steno::cli {

// Makes the text from what an App has, 80 columns wide: description, usage, positionals, options by their groups,
// subcommands, footer. Manual pages are made of this text (scripts/man_pages), so it is the same whichever version of
// CLI11 is there: the layout, the headings and the order of options within "Excludes:" of the library's own differ from
// version to version.
class HelpFormatter final : public CLI::FormatterBase {
 public:
  // `name`: the words of the command, "steno ctl".
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace steno::cli
