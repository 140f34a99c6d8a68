// steno completion: the script with which a shell completes commands, options and names.
#include "completion.h"

#include <unistd.h>

#include "command.h"
#include "options/option_checks.h"
#include "output/output.h"

namespace steno::cli {

void add_completion(CLI::App& app, ExitCode* code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand("completion", "Print the script that makes a shell complete this command");
  completion->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(one_of({"bash", "zsh", "fish"}));
  completion->footer(
      "Commands and options are completed, and from the files on the line threads, loggers, fields, places and "
      "statements.\n\n"
      "Examples:\n"
      "  steno completion bash > ~/.local/share/bash-completion/completions/steno\n"
      "  steno completion zsh > ~/.zfunc/_steno\n"
      "  steno completion fish > ~/.config/fish/completions/steno.fish");
  completion->callback([shell, code] {
    Output output(STDOUT_FILENO);
    put(output.buffer(), completion_script(*shell));
    finish(output, code);
  });
}

}  // namespace steno::cli
