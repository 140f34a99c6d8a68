// Command lines that make no sense: one sentence on standard error that names what is wrong and what to do, or what was
// perhaps meant; the status of wrong usage; nothing on standard output.
#include <gtest/gtest.h>

#include <algorithm>

#include "../reader/file_builder.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::Ran;
using test::run_shell;
using test::run_steno;
using test::TempFile;

constexpr std::uint64_t kLogged = FileBuilder::kStart;

std::string orders() {
  FileBuilder b;
  b.session().thread(0, 1, "main", 4242).logger(1, "net.http");
  b.site(16, Level::kInfo, "order sent {id} to {venue}", "mS", 120);
  b.site(17, Level::kNotice, "order acked {id} after {us} us", "md", 131);
  for (std::uint64_t i = 0; i < 20; ++i) {
    b.log(0, 16, kLogged + i * 1'000, Args().u64(i).text("XETRA"));
    b.log(0, 17, kLogged + i * 1'000 + 500, Args().u64(i).f64(0.5));
  }
  return b.end().bytes();
}

struct Mistake {
  std::vector<std::string> arguments;  // FILE stands for the sample
  std::string sentence;                // how it begins, and all of it if it ends in a newline
};

void expect_told(const std::vector<Mistake>& mistakes) {
  const TempFile file(orders());
  for (const Mistake& mistake : mistakes) {
    std::vector<std::string> arguments = mistake.arguments;
    std::string line = "steno";
    for (std::string& argument : arguments) {
      line += " '" + argument + "'";
      if (argument == "FILE") argument = file.path();
    }
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 2) << line << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_EQ(ran.err.substr(0, 7 + mistake.sentence.size()), "steno: " + mistake.sentence) << line;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << line << "\n" << ran.err;
  }
}

// All commands that take conditions tell the same.
TEST(Mistakes, Conditions) {
  const std::vector<Mistake> conditions = {
      {{"--where", "idd == 5"}, "--where: no statement has an argument 'idd'; did you mean 'id'?\n"},
      {{"--where", "id == \"x\""},
       "--where: 'id' is a number (src/server.cc:131), it cannot be compared with the text \"x\"\n"},
      {{"--where", "venue > 5"},
       "--where: 'venue' is a string (src/server.cc:120), it cannot be compared with a number\n"},
      {{"--where", "id = = 3"}, "--where: a number, a \"text\", true or false is missing, at '= 3'\n"},
      {{"--where", "level >= WRN"},
       "--where: a number, a \"text\", true or false is missing, at 'WRN'; did you mean 'WARN'?\n"},
      {{"--where", "venue == XETRA"},
       "--where: a number, a \"text\", true or false is missing, at 'XETRA'; a text is written in quotes, "
       "\"XETRA\"\n"},
      {{"--where", "id =="}, "--where: a number, a \"text\", true or false is missing, at the end\n"},
      {{"--where", "(id == 1"}, "--where: "},
      {{"--where", "id == 1 2"}, "--where: "},
      {{"--where", "level > LOUD"}, "--where: "},
      {{"--where", "venue =~ \"(\""}, "--where: '(' is not a valid regular expression: missing )"},
      {{"--where", "time > \"teatime\""}, "--where: 'teatime' is not a time"},
      {{"--where", ""}, "--where: the value is empty; write a condition, like 'qty > 100'\n"},
      {{"--where"}, "--where: the value is missing\n"},
      {{"--grep", "("}, "--grep: '(' is not a valid regular expression: missing )"},
      {{"--grep", "a**"}, "--grep: 'a**' is not a valid regular expression: "},
      {{"--since", "teatime"}, "--since: 'teatime' is not a time; write 2026-11-20T14:03:22Z, "},
      {{"--since", "2026-13-01"}, "--since: '2026-13-01' is not a time; write "},
      {{"--until", "5 parsec ago"}, "--until: '5 parsec' is not a duration; write "},
      {{"--until", ""}, "--until: the value is empty; write a time, like "},
      {{"--since", "2027-01-01", "--until", "2026-01-01"},
       "--until: '2026-01-01' is before --since '2027-01-01', so no record can be between them\n"},
      {{"--time", "14:00"}, "--time: '14:00' is not a range; write 14:00..END, 14:00..15m "},
      {{"--time", "08:00..07:00"}, "--time: '07:00' is before '08:00', and the log has no records of the day after\n"},
      {{"--since", "08:00", "--until", "07:00"},
       "--until: '07:00' is before '08:00', and the log has no records of the day after\n"},
      {{"--time", "2027-01-02..2027-01-01"}, "--time: '2027-01-02..2027-01-01' ends before it begins\n"},
      {{"--time", "..14:00", "--since", "now"}, "--since and --time cannot be used together\n"},
      {{"--grep-not", "("}, "--grep-not: '(' is not a valid regular expression: missing )"},
      {{"--where", "us is nan and id is nan"}, "--where: 'id' is a number (src/server.cc:131), it cannot be nan\n"},
      {{"--where", "host == 'testhots'"}, "--where: there is no host 'testhots'; did you mean 'testhost'?\n"},
      {{"--where", "pid in (4242, 4243)"}, "--where: there is no process '4243'; did you mean '4242'?\n"},
      {{"--where", "site != 'server.cc:121'"},
       "--where: there is no statement 'server.cc:121'; did you mean 'server.cc:120'?\n"},
      {{"--level", "LOUD"},
       "--level: there is no level 'LOUD'; the levels are TRACE DEBUG INFO NOTICE WARN ERROR CRITICAL\n"},
      {{"--thread", "mian"}, "--thread: there is no thread 'mian'; did you mean 'main'?\n"},
      {{"--thread", "4243"}, "--thread: there is no thread '4243'; choose from 'main'\n"},
      {{"--logger", "net.htpp"}, "--logger: there is no logger 'net.htpp'; did you mean 'net.http'?\n"},
      {{"--site", "server.cc:121"}, "--site: there is no statement 'server.cc:121'; did you mean 'server.cc:120'?\n"},
      {{"--local", "--utc"}, "--utc and --local cannot be used together\n"},
      {{"--wheer", "id == 5"}, "'steno COMMAND' has no option '--wheer'; did you mean '--where'?\n"},
  };
  const std::vector<std::vector<std::string>> commands = {{"cat", "FILE"},
                                                          {"tail", "FILE"},
                                                          {"agg", "FILE"},
                                                          {"pair", "FILE", "sent", "acked", "--key", "id"},
                                                          {"diff", "FILE", "FILE"}};
  std::vector<Mistake> mistakes;
  for (const auto& command : commands) {
    for (Mistake mistake : conditions) {
      mistake.arguments.insert(mistake.arguments.begin(), command.begin(), command.end());
      if (const std::size_t at = mistake.sentence.find("COMMAND"); at != std::string::npos) {
        mistake.sentence.replace(at, 7, command[0]);
      }
      mistakes.push_back(mistake);
    }
  }
  expect_told(mistakes);
}

TEST(Mistakes, Cat) {
  expect_told({
      {{"cat"}, "FILE or --live is missing; see 'steno cat --help'\n"},
      {{"cat", "FILE", "--format", "xml"},
       "--format: unknown value 'xml'; choose from 'csv', 'json', 'logfmt', 'text'\n"},
      {{"cat", "FILE", "--format", "jsn"}, "--format: unknown value 'jsn'; did you mean 'json'?\n"},
      {{"cat", "FILE", "--format", ""}, "--format: unknown value ''; choose from "},
      {{"cat", "FILE", "--pattern", "{tiem}"}, "--pattern: there is no field 'tiem'; did you mean 'time'?\n"},
      {{"cat", "FILE", "--pattern", "{time"}, "--pattern: '{' without '}'; write '{{' for a brace\n"},
      {{"cat", "FILE", "--pattern", "time}"}, "--pattern: a single '}'; write '}}' for a brace\n"},
      {{"cat", "FILE", "--pattern", ""}, "--pattern: the value is empty; "},
      {{"cat", "FILE", "--pattern", "{time}", "--format", "json"}, "--pattern: works only with --format text\n"},
      {{"cat", "FILE", "--color", "blue"}, "--color: unknown value 'blue'; choose from 'always', 'auto', 'never'\n"},
      {{"cat", "FILE", "--jobs", "0"}, "--jobs: 0 is too small; the minimum is 1\n"},
      {{"cat", "FILE", "--jobs", "-1"}, "--jobs: '-1' is not a whole number\n"},
      {{"cat", "FILE", "--jobs", "many"}, "--jobs: 'many' is not a whole number\n"},
      {{"cat", "FILE", "--jobs", "100000"}, "--jobs: 100000 is too large; the maximum is 1024\n"},
      {{"cat", "FILE", "--memory", "nonsense"},
       "--memory: 'nonsense' is not a size; write 512M, 1.5GB or a number of bytes\n"},
      {{"cat", "FILE", "--memory", "-5"}, "--memory: '-5' is not a size; "},
      {{"cat", "FILE", "--memory", "5 parsec"}, "--memory: '5 parsec' is not a size; "},
      {{"cat", "FILE", "--memory", "0"}, "--memory: 0 is too small\n"},
      {{"cat", "FILE", "--memory", "99999999999T"}, "--memory: 99999999999T is too large\n"},
      {{"cat", "FILE", "--head", "-1"}, "--head: '-1' is not a whole number (0 or more)\n"},
      {{"cat", "FILE", "--head", "x"}, "--head: 'x' is not a whole number (0 or more)\n"},
      {{"cat", "FILE", "--head", "99999999999999999999"}, "--head: 99999999999999999999 is too large\n"},
      {{"cat", "FILE", "--head", "1", "--head", "2"}, "--head is given more than once\n"},
      {{"cat", "FILE", "--head", "1", "--tail", "1"}, "--head and --tail cannot be used together\n"},
      {{"cat", "FILE", "--count", "--head", "1"}, "--count and --head cannot be used together\n"},
      {{"cat", "FILE", "--tail", "1.5"}, "--tail: '1.5' is not a whole number (0 or more)\n"},
      {{"cat", "FILE", "-A", "-1"}, "--after: '-1' is not a whole number (0 or more)\n"},
      {{"cat", "FILE", "-B", "x"}, "--before: 'x' is not a whole number (0 or more)\n"},
      {{"cat", "FILE", "-C", "1", "--tail", "1"}, "--tail and --context cannot be used together\n"},
      {{"cat", "-f", "-"}, "standard input cannot be followed\n"},
      {{"cat", "FILE", "--loud"}, "'steno cat' has no option '--loud'; "},
      {{"cat", "FILE", "--jobs=3", "--no-sorted=1"},
       "'steno cat' has no option '--no-sorted'; did you mean '--no-sort'?\n"},
      {{"cat", "FILE", "--columns", "time,,id"}, "--columns: a name is missing; write time,level,message\n"},
      {{"cat", "FILE", "--columns", "time", "--pattern", "{time}"},
       "--pattern and --columns cannot be used together\n"},
      {{"cat", "FILE", "--top", "5"}, "--top requires --arg\n"},
      {{"cat", "FILE", "--top", "5", "--arg", "venue"}, "--arg: 'venue' is a string; only numbers have a greatest\n"},
      {{"cat", "FILE", "--top", "5", "--arg", "idd"},
       "--arg: the statements of these files have no argument 'idd'; did you mean 'id'?\n"},
      {{"cat", "FILE", "--lines-of", "idd"},
       "--lines-of: the statements of these files have no argument 'idd'; did you mean 'id'?\n"},
      {{"cat", "FILE", "-r", "--count"}, "--count and --reverse cannot be used together\n"},
      {{"tail", "FILE", "-n", "-1"}, "--lines: '-1' is not a whole number (0 or more)\n"},
      {{"tail", "FILE", "-n", "ten"}, "--lines: 'ten' is not a whole number (0 or more)\n"},
      {{"tail"}, "FILE is missing; see 'steno tail --help'\n"},
  });
}

TEST(Mistakes, OtherCommands) {
  expect_told({
      {{}, "no command given; 'steno --help' lists them\n"},
      {{"dance"}, "unknown command 'dance'; choose from "},
      {{"cta", "FILE"}, "unknown command 'cta'; did you mean 'cat'?\n"},
      {{"grep", "timeout", "FILE"}, "unknown command 'grep'; use 'steno cat FILE --grep TEXT'\n"},
      {{"export", "FILE"}, "unknown command 'export'; use 'steno cat FILE --format csv' (or json), or for Parquet "},
      {{"--verzion"}, "'steno' has no option '--verzion'; did you mean '--version'?\n"},
      {{"stat"}, "FILE is missing; see 'steno stat --help'\n"},
      {{"stat", "FILE", "--top", "-1"}, "--top: '-1' is not a whole number (0 or more)\n"},
      {{"trace", "FILE", "-o", "t.json"}, "'steno trace' has no option '-o'; it writes to standard output: '> FILE'\n"},
      {{"cat", "FILE", "-i"}, "'steno cat' has no option '-i'; use --ignore-case\n"},
      {{"cat", "FILE", "-p", "err"}, "'steno cat' has no option '-p'; use --level\n"},
      {{"agg", "FILE", "--", "--level"}, "'steno agg' "},
      {{"cat", "FILE", "-z"}, "'steno cat' has no option '-z'; see 'steno cat --help'\n"},
      {{"stat", "FILE", "--since", "8:00"},
       "'steno stat' has no option '--since'; use 'steno agg FILE --by site' with it\n"},
      {{"cat", "FILE", "--json"}, "'steno cat' has no option '--json'; use --format json\n"},
      {{"cat", "FILE", "--limit", "3"}, "'steno cat' has no option '--limit'; use --head\n"},
      {{"agg", "FILE", "--head", "3"}, "'steno agg' has no option '--head'; use --limit\n"},
      {{"cat", "FILE", "--host", "db1"}, "'steno cat' has no option '--host'; use --where 'host == \"...\"'\n"},
      {{"FILE"}, "unknown command '"},
      {{"stat", "FILE", "--jsn"}, "'steno stat' has no option '--jsn'; did you mean '--json'?\n"},
      {{"sites"}, "FILE is missing; see 'steno sites --help'\n"},
      {{"sites", "FILE", "--columns"}, "'steno sites' has no option '--columns'; choose from "},
      {{"verify"}, "FILE is missing; see 'steno verify --help'\n"},
      {{"verify", "FILE", "--contents"}, "'steno verify' has no option '--contents'; did you mean '--content'?\n"},
      {{"ps", "FILE"}, "'steno ps' does not take '"},
      {{"stat", "FILE", "--jobs", "0"}, "--jobs: 0 is too small; the minimum is 1\n"},
      {{"recover"}, "FILE, --staging or --all is missing; see 'steno recover --help'\n"},
      {{"top"}, "FILE is missing; see 'steno top --help'\n"},
      {{"top", "FILE", "--interval", "x"}, "--interval: 'x' is not a duration; write "},
      {{"top", "FILE", "--interval", "1ms"}, "--interval: 10ms is the shortest\n"},
      {{"top", "FILE", "--count", "0"}, "--count: 0 is too small; the minimum is 1\n"},
      {{"top", "FILE", "--top", "-1"}, "--top: '-1' is not a whole number\n"},
      {{"top", "-"}, "top watches files and processes, not standard input\n"},
  });
}

// A word that is no file among files: nothing is printed that would look like the answer.
TEST(Mistakes, WordsAmongFiles) {
  expect_told({
      {{"cat", "retry", "FILE"},
       "'retry' is no file; a text to look for is written --grep 'retry', and what has spaces "},
      {{"cat", "FILE", "--grep", "request", "failed", "--count"}, "'failed' is no file; "},
      {{"cat", "FILE", "--since", "2027-01-15", "08:00:00"}, "'08:00:00' is no file; "},
      {{"agg", "retry", "FILE", "--by", "level"}, "'retry' is no file; "},
      {{"cat", "--", "FILE", "-n"}, "'-n' is no file; options come before '--'\n"},
      {{"tail", "-5", "FILE"}, "'-5' is no file; a number of lines is written '-n 5'\n"},
  });
}

// The answer to another tool's word is a command of this one, with options that it has.
TEST(Mistakes, OtherToolsWordsLeadToCommands) {
  for (const char* word :
       {"grep", "head", "count", "csv", "sum", "hist", "group", "check", "level", "merge", "extract"}) {
    const std::string told = run_steno({word, "FILE"}).err;
    const std::size_t begin = told.find("use 'steno ");
    ASSERT_NE(begin, std::string::npos) << told;
    const std::string command = told.substr(begin + 11, told.find_first_of(" '", begin + 11) - begin - 11);
    const Ran help = run_steno({command, "--help"});
    EXPECT_EQ(help.code, 0) << told;
    for (std::size_t at = told.find(" --", begin); at != std::string::npos; at = told.find(" --", at + 1)) {
      const std::string option = told.substr(at + 1, told.find_first_of(" '", at + 1) - at - 1);
      EXPECT_NE(help.out.find(option), std::string::npos) << told;
    }
  }
}

// A word that is no command is a program of its own, if PATH has it.
TEST(Mistakes, OtherPrograms) {
  const std::string make =
      "d=$(mktemp -d); trap 'rm -rf $d' EXIT; "
      "printf '#!/bin/sh\necho \"$0 $*\" | sed s,.*/,,; ulimit -v; exit 7\n' > $d/steno-count; "
      "cp $d/steno-count $d/steno-cat; chmod +x $d/steno-*; PATH=$d:$PATH; ";
  const Ran ran = run_shell(make + "ulimit -v unlimited; $STENO count one --two");
  EXPECT_EQ(ran.out, "steno-count one --two\nunlimited\n");
  EXPECT_EQ(ran.code, 7);
  EXPECT_NE(run_shell(make + "$STENO cat").code, 7);  // a command of steno's own is not replaced
  EXPECT_NE(run_shell(make + "$STENO ../steno-count").code, 7);
  // One beside the command comes first.
  const Ran beside =
      run_shell(make +
                "mkdir $d/own; cp $STENO $d/own/steno; printf '#!/bin/sh\nexit 9\n' > $d/own/steno-count; "
                "chmod +x $d/own/steno-count; $d/own/steno count");
  EXPECT_EQ(beside.code, 9);
  EXPECT_EQ(run_shell(make + "mkdir $d/own; cp $STENO $d/own/steno; $d/own/steno count").code, 7);
}

TEST(Mistakes, Questions) {
  expect_told({
      {{"agg"}, "FILE is missing; see 'steno agg --help'\n"},
      {{"agg", "FILE", "--jobs", "0"}, "--jobs: 0 is too small; the minimum is 1\n"},
      {{"agg", "FILE", "--format", "jsno"}, "--format: unknown value 'jsno'; did you mean 'json'?\n"},
      {{"agg", "FILE", "--op", ""}, "--op: there is no operation ''; choose from "},
      {{"agg", "FILE", "order sent", "--arg", "id", "--op", "hist:0"}, "--op: 'hist:0': write top:10 or hist:20\n"},
      {{"agg", "FILE", "--by", "leval"}, "--by: cannot group by 'leval'; did you mean 'level'?\n"},
      {{"agg", "FILE", "--by", ""}, "--by: cannot group by ''; choose from "},
      {{"agg", "FILE", "--by", "arg idd"},
       "--by: the statements of these files have no argument 'idd'; did you mean 'id'?\n"},
      {{"agg", "FILE", "--where", "thread == 'mian'"}, "--where: there is no thread 'mian'; did you mean 'main'?\n"},
      {{"agg", "FILE", "order sent", "--by", "arg nix"},
       "--by: 'order sent {id} to {venue}' has no argument 'nix'; choose from 'id', 'venue'\n"},
      {{"agg", "FILE", ""}, "the text of the statement is empty"},
      {{"agg", "FILE", "id"}, "'id' is an argument; write --arg id\n"},
      {{"agg", "FILE", "--op", "p99"},
       "which argument? Write --arg NAME, or the text of a statement after the files; choose from 'id', 'us'\n"},
      {{"agg", "FILE", "--op", "p99", "--by", "venue"},
       "which argument? Write --arg NAME, or the text of a statement after the files; choose from 'id'\n"},
      {{"agg", "FILE", "--op", "distinct", "--by", "level"},
       "which argument? Write --arg NAME, or the text of a statement after the files; choose from 'id', 'us', "
       "'venue'\n"},
      {{"agg", "FILE", "--op", "distinct(id)"}, "--op: 'distinct(id)': write --op distinct --arg id\n"},
      {{"agg", "FILE", "--op", "p99( us ),count"}, "--op: 'p99( us )': write --op p99 --arg us\n"},
      {{"agg", "FILE", "--op", "count(*)"}, "--op: 'count(*)': write --op count\n"},
      {{"agg", "FILE", "--op", "count(distinct id)"}, "--op: 'count(distinct id)': write --op distinct --arg id\n"},
      {{"agg", "FILE", "--op", "max()"}, "--op: 'max()': write --op max --arg NAME\n"},
      {{"agg", "FILE", "--op", "avg(us)"}, "--op: there is no operation 'avg'; it is called 'mean' here\n"},
      {{"agg", "FILE", "--by", "level,leval"}, "--by: cannot group by 'leval'; did you mean 'level'?\n"},
      {{"agg", "FILE", "--by", "level,"}, "--by: cannot group by ''; choose from "},
      {{"agg", "FILE", "--sort", "-cuont"}, "--sort: there is no column 'cuont'; did you mean 'count'?\n"},
      {{"agg", "FILE", "--op", "ratio"}, "--op: 'ratio': write ratio(level >= ERROR)\n"},
      {{"agg", "FILE", "--op", "ratio(idd > 5)"},
       "--op ratio(idd > 5): no statement has an argument 'idd'; did you mean 'id'?\n"},
      {{"agg", "FILE", "--sort", "cuont"}, "--sort: there is no column 'cuont'; did you mean 'count'?\n"},
      {{"agg", "FILE", "--having", "coutn > 5"}, "--having: there is no column 'coutn'; did you mean 'count'?\n"},
      {{"agg", "FILE", "--having", "count >"},
       "--having: a number, a \"text\", true or false is missing, at the end\n"},
      {{"agg", "FILE", "--having", "count == 'x'"}, "--having: 'count' is compared with a number\n"},
      {{"agg", "FILE", "order sent", "--arg", "id", "--op", "top", "--sort", "top"}, "--sort: 'top' is a list\n"},
      {{"agg", "FILE", "--plot", "--format", "json"}, "--plot and --format cannot be used together\n"},
      {{"pair"}, "FILE is missing; see 'steno pair --help'\n"},
      {{"pair", "FILE", "sent", "acked"}, "--key is missing; see 'steno pair --help'\n"},
      {{"pair", "FILE", "sent", "--key", "id"},
       "write the files, then the text of the first and of the second statement\n"},
      {{"pair", "FILE", "sent", "acked", "--key", "=id"},
       "'=id' names one argument; write one of each statement, as in id=order_id\n"},
      {{"pair", "FILE", "sent", "acked", "--key", "id="}, "'id=' names one argument; "},
      {{"pair", "FILE", "sent", "nothing", "--key", "id"}, "no statement has the text 'nothing'; choose from "},
      {{"pair", "FILE", "sent", "acked", "--key", "idd"},
       "'order sent {id} to {venue}' has no argument 'idd'; did you mean 'id'?\n"},
      {{"pair", "FILE", "sent", "acked", "--key", "id", "--memory", "x"}, "--memory: 'x' is not a size; "},
      {{"pair", "FILE", "sent", "acked", "--key", "id", "--slowest", "1001"},
       "--slowest: 1001 is too large; the maximum is 1000\n"},
      {{"diff", "FILE"},
       "diff compares two files, or two times of one with --before and --after; to compare several files on a side, "
       "write a pattern in quotes\n"},
      {{"diff", "FILE", "FILE", "FILE"}, "diff compares two files, "},
      {{"diff", "FILE", "--before", "08:00", "--since", "07:00"},
       "--before and --after are the times of the two sides"},
      {{"diff", "FILE", "--before", "teatime"}, "--until: 'teatime' is not a time; "},
      {{"diff", "FILE", "FILE", "--least-rate", "x"}, "--least-rate: 'x' is not a number\n"},
      {{"diff", "FILE", "FILE", "--least-rate", "0.5"}, "--least-rate: 0.5 is too small; the minimum is 1\n"},
      {{"diff", "FILE", "FILE", "--least-rise", "0"}, "--least-rise: 0 is too small; the minimum is 1\n"},
      {{"diff", "FILE", "FILE", "--least-score", "-1"}, "--least-score: -1 is too small; the minimum is 0\n"},
      {{"diff", "FILE", "FILE", "--least-score", "nan"}, "--least-score: 'nan' is not a number\n"},
      {{"diff", "FILE", "FILE", "--least-distance", "2"}, "--least-distance: 2 is too large; the maximum is 1\n"},
      {{"diff", "FILE", "FILE", "--top", "few"}, "--top: 'few' is not a whole number (0 or more)\n"},
  });
}

// If files have several statuses, the highest one is returned (docs/cli.md).
TEST(Mistakes, AFileThatCannotBeReadCountsMore) {
  const TempFile file(orders());
  const Ran ran = run_steno({"cat", file.path(), "/no/such.steno", "--where", "idd > 5"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("steno: /no/such.steno: no such file\n"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("steno: --where: no statement has an argument 'idd'"), std::string::npos) << ran.err;
}

TEST(Mistakes, NumbersAreDecimal) {
  const TempFile file(orders());
  const auto lines = [&](std::vector<std::string> arguments) {
    arguments.push_back(file.path());
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return std::count(ran.out.begin(), ran.out.end(), '\n');
  };
  EXPECT_EQ(lines({"cat", "--head", "010"}), 10);
  EXPECT_EQ(lines({"tail", "-n", "010"}), 10);
  EXPECT_EQ(lines({"cat", "--jobs", "08", "--head", "00"}), 0);
}

TEST(Mistakes, SizesOfRotation) {
  const TempFile file(orders());
  const auto scribe = [&](const std::string& option, const std::string& value) {
    return run_steno({"scribe", file.path(), "--until-idle", "0.001", option + "=" + value});
  };
  for (const char* option : {"--rotate-size", "--keep-bytes"}) {
    for (const char* size : {"100MB", "1.5GB", "1GiB", "5000"}) {
      const Ran ran = scribe(option, size);
      EXPECT_EQ(ran.code, 0) << option << " " << size << " " << ran.err;
    }
    for (const char* size : {"-5", "many", "1.5 parsec"}) {
      const Ran ran = scribe(option, size);
      EXPECT_EQ(ran.code, 2) << option << " " << size;
      EXPECT_EQ(ran.err, std::string("steno: ") + option + ": '" + size +
                             "' is not a size; write 512M, 1.5GB or a number of bytes\n");
    }
  }
  EXPECT_EQ(scribe("--keep", "-1").err, "steno: --keep: '-1' is not a whole number (0 or more)\n");
}

// The values that are as good as they can be at the bounds.
TEST(Mistakes, BoundsAreNoMistakes) {
  const TempFile file(orders());
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--head", "0"},
                                             {"--tail", "0"},
                                             {"--jobs", "1024"},
                                             {"--memory", "1"},
                                             {"--memory", "1.5 GiB"},
                                             {"--memory", "64kb"},
                                             {"--since", "start", "--until", "start"},
                                             {"--thread", "4242"},
                                             {"--logger", "net"},
                                             {"--logger", "ne*"},
                                             {"--logger", ""},
                                             {"--grep", ""}}) {
    std::vector<std::string> arguments = {"cat", file.path()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 0) << options[0] << " " << options[1] << "\n" << ran.err;
    EXPECT_EQ(ran.err, "");
  }
}

}  // namespace
}  // namespace steno
