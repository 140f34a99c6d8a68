// steno help: what a command does, and the language of questions.

#include <algorithm>
#include <string_view>

#include "command.h"

namespace steno::cli {
namespace {

struct Topic {
  std::string_view name;
  std::string_view text;
};
// At most 80 columns. Lines that begin with "  steno " are run by a test, on a log that has what they name.
constexpr Topic kTopics[] = {
    {"where",
     R"(Conditions on records: --where of cat, tail, agg, pair and diff, ratio(...) of
agg, and --having on the columns of its table.

Operators:
  == != < <= > >=             numbers, texts, times, levels
  =~ !~                       a regular expression (RE2) is in the text, or not
  contains, not contains      a text is in the text
  in (A, B), not in (A, B)    is one of these
  is null, is not null        the record does not have the argument, or has it
  is nan, is not nan          a floating-point number that is none
  and, or, not, ( )           'not' binds most tightly, then 'and', then 'or';
                              && || ! are the same

Values:
  5  -1.5  1e6  0xff  1_000   numbers
  5ms  1.5h  30s              durations: ns us ms s min h d; also for numbers
                              whose text says their unit: took {elapsed} ms
  "acme"  'acme'              texts
  14:03  2026-11-20 14:03     times; others in quotes: 'steno help times'
  true  false                 of an argument that is a bool
  WARN  "kBuy"                a level; the name of an enumerator

Names: fields (steno help fields), arguments and fields of context, as in the
format: qty of "filled {qty}", {0} for the first one without a name. {level} in
braces is an argument of that name, not the field.

A comparison with an argument that a record does not have is neither true nor
false: the record is left out, with 'not' or without. A name that no statement
has is an error, and so is a thread, logger, host or place that the log does not
have.

The shell: put the condition in '...', and texts in it in "...".

Examples:
  steno cat --where 'qty > 100 and client == "acme"' app.steno
  steno cat --where 'level >= WARN or message contains "sent"' app.steno
  steno cat --where 'client in ("acme", "bolt") and not (qty < 5)' app.steno
  steno cat --where 'time >= 08:00 && client =~ "^ac"' app.steno
  steno agg app.steno --by client --op 'count,ratio(price > 500)'
)"},
    {"fields",
     R"(Fields that every record has, in --where, --by, --columns and --pattern alike:

  time                        when it was logged
  level                       TRACE DEBUG INFO NOTICE WARN ERROR CRITICAL
  thread, tid                 the thread's name (or else its number), its number
  pid, program, host          of the process
  logger                      its name; empty for the default one
  site                        the place of the statement: src/server.cc:120
  file, line, function        the same in parts
  format                      the text of the statement, with its braces
  message                     the text of the record
  sequence                    the number of the record among those of its ring

Any other name is an argument of a statement, or a field of context. Where an
argument is called pid, program, host or sequence, the name means the argument;
session.pid, session.program and session.host mean the field in any case.
--pattern and --columns also take level_code, basename, args and context, and
there the field goes before the argument: {arg:host} is the argument.

Examples:
  steno agg app.steno --by host --by thread
  steno cat --columns time,thread,qty,client app.steno
  steno cat --pattern '{time} {site} {message}' --where 'line == 17' app.steno
)"},
    {"times",
     R"(Times in --since, --until, --time and in comparisons with 'time':

  14:03  2:03:22.5            the last such time in the log; if it has none,
                              that on the day of its last record
  '2026-11-20 14:03:22.5'     also with T, or without a time: midnight
  'Nov 20 14:03', '20 Nov'    in the year of the log's end, or the one before
  today, 'yesterday 14:03'    by today's date
  10m, -10m, '1 hour ago'     before now; 'now'
  'last 30s', '30s before end', end
                              before the last record of the log
  'first 5s', '5s after start', start
                              after its first record
  @1764000000, 1764000000123  seconds, ms, us or ns since 1970
  '14:03 UTC', '14:03 +01:00' in this time zone; else in UTC, or with --local in
                              that of the reader (TZ)

Ranges: --time 14:03..14:10 (or 14:03-14:10), 14:03.., ..14:10; 14:03..15m (or
14:03+15m) lasts 15 minutes, but 30m..10m is from 30 until 10 minutes ago. A
time of day at the end of a range may be on the next day: 23:50..00:10.

The begin belongs to what is selected, the end does not: --until 14:10 ends with
14:09:59.999999999, and --until 2026-11-20 before that day.

Durations are numbers with ns us ms s m h d w, or words: 1h30m, '2 hours'.

Examples:
  steno cat --time 08:00..08:01 app.steno
  steno cat --time 08:00+30s app.steno
  steno cat --since '2 seconds before end' app.steno
  steno agg app.steno --by time:1s --op count --until end
)"},
    {"settings",
     R"(What the commands that print take from the user's file
$XDG_CONFIG_HOME/steno/steno.toml, else ~/.config/steno/steno.toml:

  format = "{time} {level} {message}"  as --pattern: the layout of lines of text
  columns = "time,thread,message"      or as --columns; not both
  time_format = "ms"                   as --time-format, also of tables
  show_context = "always"              as --show-context: auto, always, never
  color = "never"                      as --color: auto, always, never
  pager = "less -FRX"                  "" for none

An option goes before the environment, and that before the file. The environment
has STENO_FORMAT (a layout), NO_COLOR, STENO_PAGER; PAGER counts where the file
names no pager. JSON, CSV and logfmt do not depend on the file.

On a terminal, what cat, tail, agg, pair, diff, clocks, stat, sites, verify, ps
and help print goes through the pager, but not with -f, nor with --no-pager.

Examples:
  steno cat app.steno --no-pager
  steno cat app.steno --pattern '{time:ms} {level} {message}'
  steno agg app.steno --by level --no-pager
)"},
};

}  // namespace

bool append_topic(const std::string& name, std::string* out) {
  const auto* const found =
      std::find_if(std::begin(kTopics), std::end(kTopics), [&](const Topic& topic) { return topic.name == name; });
  if (found == std::end(kTopics)) return false;
  *out += found->text;
  return true;
}

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const Topic& topic : kTopics) names.emplace_back(topic.name);
  return names;
}

std::string names_of_topics() {
  std::string names;
  for (const Topic& topic : kTopics) names += (names.empty() ? "" : ", ") + std::string(topic.name);
  return names;
}

void add_help(CLI::App& app, ExitCode* code) {
  auto topic = std::make_shared<std::string>();
  CLI::App* help =
      app.add_subcommand("help", "Explain a command, how to write conditions, fields and times, or settings");
  help->add_option("TOPIC", *topic, "A command, or one of these: " + names_of_topics());
  help->footer("Examples:\n  steno help where\n  steno help times\n  steno help cat");
  help->callback([code] { raise_to(code, kExitUsage); });  // not reached: command_line.cc answers
}

}  // namespace steno::cli
