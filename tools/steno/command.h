// The commands of `steno`. Each function adds a command to the parser; when the user chooses it, it runs and stores its
// exit code.
#pragma once

#include <CLI/CLI.hpp>

#include "exit_code.h"

namespace steno::cli {

void add_agg(CLI::App& app, ExitCode* code);
void add_cat(CLI::App& app, ExitCode* code);
void add_check_ring(CLI::App& app, ExitCode* code);
void add_clocks(CLI::App& app, ExitCode* code);
void add_completion(CLI::App& app, ExitCode* code);
void add_ctl(CLI::App& app, ExitCode* code);
void add_cut(CLI::App& app, ExitCode* code);
void add_diff(CLI::App& app, ExitCode* code);
void add_help(CLI::App& app, ExitCode* code);
void add_pack(CLI::App& app, ExitCode* code);
void add_pair(CLI::App& app, ExitCode* code);
void add_ps(CLI::App& app, ExitCode* code);
void add_recover(CLI::App& app, ExitCode* code);
void add_redact(CLI::App& app, ExitCode* code);
void add_scribe(CLI::App& app, ExitCode* code);
void add_sites(CLI::App& app, ExitCode* code);
void add_stat(CLI::App& app, ExitCode* code);
void add_tail(CLI::App& app, ExitCode* code);
void add_top(CLI::App& app, ExitCode* code);
void add_trace(CLI::App& app, ExitCode* code);
void add_verify(CLI::App& app, ExitCode* code);
void add_web(CLI::App& app, ExitCode* code);

// Prints the text of `steno help NAME` for a topic that is no command. False: there is none.
bool append_topic(const std::string& name, std::string* out);
std::vector<std::string> topic_names();
// Their names in one text: "where, fields".
std::string names_of_topics();

class Output;
// Flushes, and reports an output that could not be written.
void finish(Output& output, ExitCode* code);

}  // namespace steno::cli
