// steno redact: logs without some of their values.
#include <unistd.h>

#include "base/suggest.h"
#include "command.h"
#include "input/inputs.h"
#include "lines/escape.h"
#include "options/option_checks.h"
#include "output/output.h"
#include "query/filter/filter.h"
#include "reader/loss_text.h"
#include "rewrite/new_log.h"
#include "rewrite/redaction.h"

namespace steno::cli {
namespace {

struct RedactOptions : NewLogOptions {
  RedactionOptions what;
};

void check_names(const reader::LogSet& logs, const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const reader::Site* site : query::statements_of(logs)) {
    const std::vector<std::string> more = site->value_names();
    names.insert(names.end(), more.begin(), more.end());
  }
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw CLI::ValidationError("--value",
                               "no statement has an argument or field '" + name + "'" + did_you_mean(name, names));
  }
}

// How often each pattern matched. One that matched nothing may be a mistake, and what it was meant for still be there.
void report_matches(const RedactOptions& options, const std::vector<TextPatterns::Found>& found, ExitCode* code) {
  Output output(STDOUT_FILENO);
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::string text = "  '" + escaped(options.what.patterns[i], Escape::kTerminal) +
                       "': " + reader::counted(found[i].in_values, "match", "matches") + " in values";
    if (found[i].in_replaced != 0) {
      text += ", " + reader::with_commas(found[i].in_replaced) + " in values that --value takes out";
    }
    if (found[i].in_secrets != 0) text += ", " + reader::with_commas(found[i].in_secrets) + " in secrets";
    if (options.what.texts) text += ", " + reader::with_commas(found[i].in_texts) + " in formats and names";
    put(output.buffer(), text + "\n");
  }
  finish(output, code);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string pattern = "--match '" + options.what.patterns[i] + "'";
    const bool nothing =
        found[i].in_values == 0 && found[i].in_replaced == 0 && found[i].in_secrets == 0 && found[i].in_texts == 0;
    const std::string stays = "formats or names that it matches stay as they are; --texts replaces them";
    if (nothing) {
      complain(pattern + " matched nothing, so it took nothing out of " + options.out +
               (found[i].stays ? "; " + stays : std::string("; look whether it is right")));
      raise_to(code, kExitIncomplete);
    } else if (found[i].stays) {
      complain(pattern + ": " + stays);
    }
  }
}

void run_redact(const RedactOptions& options, ExitCode* code) {
  if (options.what.values.empty() && options.what.patterns.empty()) {
    throw CLI::ValidationError("say what to take out: --value NAME or --match PATTERN");
  }
  Redaction redaction;
  if (Status status = redaction.set(options.what); !status.ok()) {
    throw CLI::ValidationError("--match", status.message());
  }
  reader::LogSet logs(reader::Secrets::kShown);  // so that patterns count in them; all of them are taken out
  open_inputs(options.paths, &logs, code);
  if (logs.files().empty()) return;
  check_names(logs, options.what.values);
  CopyRules rules;
  rules.rewriting = &redaction;
  rules.new_sessions = true;
  const std::optional<Copied> copied = write_new_log(logs, options, rules, nullptr, code);
  if (copied && copied->records != 0) report_matches(options, redaction.patterns()->found(), code);
}

}  // namespace

void add_redact(CLI::App& app, ExitCode* code) {
  auto options = std::make_shared<RedactOptions>();
  CLI::App* redact = app.add_subcommand("redact", "Write logs without some of their values");
  add_new_log_options(*redact, options.get());
  redact
      ->add_option("--value", options->what.values,
                   "All values of this argument or field of context become [redacted]; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  redact
      ->add_option("--match", options->what.patterns,
                   "What this regular expression (RE2) matches in a string becomes [redacted], and an integer whose "
                   "digits match becomes 0; may be repeated")
      ->type_name("PATTERN")
      ->check(some_text("write a regular expression"))
      ->allow_extra_args(false);
  redact->add_flag("--texts", options->what.texts,
                   "Replace matches also in formats, names of files, functions, threads, loggers, programs and hosts");
  redact->add_option("--with", options->what.replacement, "The text in place of a match (default [redacted])")
      ->type_name("TEXT");
  redact->footer(
      "Examples:\n  steno redact app.steno --value client -o public.steno\n"
      "  steno redact app.steno --match '[a-z]+@[a-z.]+' --match acme -o public.steno\n"
      "  steno redact app.steno --match acme --texts -o public.steno\n\n"
      "All records stay, with their times and order; values are written anew, so what is taken out is nowhere in the "
      "new "
      "file. A pattern is looked for in each value by itself; one that begins with (?i) finds small and capital "
      "letters alike. Values of secrets are always taken out.\n"
      "Exit status 1: a pattern matched nothing, which may be a mistake, or a part of the logs could not be read; the "
      "file is written.");
  redact->callback([options, code] { run_redact(*options, code); });
}

}  // namespace steno::cli
