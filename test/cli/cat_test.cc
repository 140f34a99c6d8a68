// steno cat, run as a command.
#include <gtest/gtest.h>

#include <cmath>

#include "../reader/file_builder.h"
#include "../sanitizers.h"
#include "golden.h"
#include "run_command.h"

namespace steno {
namespace {

using test::Args;
using test::expect_golden;
using test::FileBuilder;
using test::kGolden;
using test::Ran;
using test::run_shell;
using test::run_steno;
using test::TempFile;

constexpr std::uint64_t kT = FileBuilder::kStart;

std::string sample() {
  FileBuilder b;
  b.session().thread(0, 1, "main", 4242).thread(1, 2, "", 4243);
  b.site(16, Level::kInfo, "filled {qty} @ {price:.2f} for {client}", "idS", 120);
  b.site(17, Level::kNotice, "took %0.1lf ms, %d retries", "di", 131, wire::Style::kPrintf);
  b.site(18, Level::kError, "cannot open {}: {}", "SS", 140);
  b.site(19, Level::kDebug, "big {} {} {}", "nol", 150);
  b.site(20, Level::kCritical, "not a number: {} {} {}", "dfd", 160);
  b.site(21, Level::kTrace, "flags {} {} {} {}", "bcpS", 170);
  b.logger(1, "net.http");
  b.log(0, 16, kT + 123456789, Args().i32(3).f64(101.5).text("acme, \"inc\""));
  b.log(1, 17, kT + 123456790, Args().f64(12.34).i32(2), 1);
  b.log(0, 18, kT + 2'000'000'000, Args().text("/tmp/a\nb").text("\x1b[31mred\xff\xc3\xa9"));
  b.flush();
  const auto big = static_cast<__int128>(1) << 100;
  b.log(1, 19, kT + 2'000'000'001,
        Args().add<__int128>('n', -big).add<unsigned __int128>('o', big).add('l', INT64_MIN));
  b.log(0, 20, kT + 2'000'000'002, Args().f64(NAN).add('f', INFINITY).f64(-INFINITY));
  b.log(0, 21, kT + 86'400'000'000'000,
        Args().add<std::uint8_t>('b', 1).add('c', '"').add<std::uint64_t>('p', 0x10).null_text());
  return b.end().bytes();
}

TEST(Cat, Text) {
  const TempFile file(sample());
  const Ran ran = run_steno({"cat", file.path()});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  expect_golden(kGolden + "cat.txt", ran.out);
}

TEST(Cat, Json) {
  const TempFile file(sample());
  const Ran ran = run_steno({"cat", "--format", "json", file.path()});
  EXPECT_EQ(ran.code, 0);
  expect_golden(kGolden + "cat.json", ran.out);
}

TEST(Cat, Csv) {
  const TempFile file(sample());
  const Ran ran = run_steno({"cat", "--format", "csv", file.path()});
  EXPECT_EQ(ran.code, 0);
  expect_golden(kGolden + "cat.csv", ran.out);
}

TEST(Cat, Pattern) {
  const TempFile file(sample());
  const Ran ran =
      run_steno({"cat", "--pattern",
                 "{time}|{level}|{logger}|{thread}|{tid}|{file}|{basename}|{line}|{function}|{format}|{args}|"
                 "{pid}|{program}|{host}|{{}}\\t{message}",
                 file.path()});
  EXPECT_EQ(ran.code, 0);
  expect_golden(kGolden + "cat_pattern.txt", ran.out);
}

TEST(Cat, PatternsThatMakeNoSense) {
  const TempFile file(sample());
  const Ran unknown = run_steno({"cat", "--pattern", "{tmie}", file.path()});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("there is no field 'tmie'; did you mean 'time'?"), std::string::npos) << unknown.err;
  EXPECT_EQ(run_steno({"cat", "--pattern", "{time", file.path()}).code, 2);
  EXPECT_EQ(run_steno({"cat", "--pattern", "time}", file.path()}).code, 2);
  EXPECT_EQ(run_steno({"cat", "--format", "json", "--pattern", "{time}", file.path()}).code, 2);
}

TEST(Cat, Levels) {
  const TempFile file(sample());
  EXPECT_EQ(run_steno({"cat", "--level", "error", "--pattern", "{level}", file.path()}).out, "ERROR\nCRITICAL\n");
  const Ran wrong = run_steno({"cat", "--level", "LOUD", file.path()});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("there is no level 'LOUD'"), std::string::npos);
}

TEST(Cat, OfSeveralConditionsAllMustHold) {
  const TempFile file(sample());
  const auto levels = [&](const std::vector<std::string>& conditions) {
    std::vector<std::string> words = {"cat", "--pattern", "{level}", file.path()};
    for (const std::string& condition : conditions) words.insert(words.end(), {"--where", condition});
    return run_steno(words);
  };
  EXPECT_EQ(levels({"qty == 3 or level == ERROR", "level < ERROR or level == CRITICAL"}).out, "INFO\n");
  EXPECT_EQ(levels({"level == CRITICAL or level == INFO", "level < ERROR", "qty == 3"}).out, "INFO\n");
  const Ran wrong = levels({"level == ERROR", "qtty == 3"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err, "steno: --where: no statement has an argument 'qtty'; did you mean 'qty'?\n");
  EXPECT_EQ(levels({"level == ERROR) or (qty == 3", "level == ERROR"}).code, 2);
}

TEST(Cat, TimeZones) {
  const TempFile file(sample());
  const Ran local =
      run_shell("TZ=Asia/Kolkata $STENO cat --local --level CRITICAL --pattern '{time}' $FILE", file.path());
  EXPECT_EQ(local.out, "2027-01-15 13:30:02.000000002+05:30\n");
  const Ran utc = run_shell("TZ=Asia/Kolkata $STENO cat --level CRITICAL --pattern '{time}' $FILE", file.path());
  EXPECT_EQ(utc.out, "2027-01-15 08:00:02.000000002Z\n");
  EXPECT_EQ(run_steno({"cat", "--local", "--utc", file.path()}).code, 2);
}

TEST(Cat, RawKeepsControlCharacters) {
  const TempFile file(sample());
  const Ran raw = run_steno({"cat", "--raw", "--level", "ERROR", "--pattern", "{message}", file.path()});
  EXPECT_EQ(raw.out.substr(0, raw.out.find("not a")), "cannot open /tmp/a\nb: \x1b[31mred\xff\xc3\xa9\n");
}

TEST(Cat, SeveralFilesAndStandardInput) {
  FileBuilder other;
  other.session(9).site(16, Level::kInfo, "between", "").thread(0, 1, "x").log(0, 16, kT + 123456790 + 5).end();
  const TempFile a(sample());
  const TempFile b(other.bytes());
  const Ran ran = run_steno({"cat", "--pattern", "{format}", a.path(), b.path()});
  EXPECT_NE(ran.out.find("retries\nbetween\ncannot"), std::string::npos) << ran.out;
  const Ran unsorted = run_steno({"cat", "--no-sort", "--pattern", "{format}", a.path(), b.path()});
  EXPECT_EQ(unsorted.out.substr(unsorted.out.size() - 8), "between\n");
  const Ran from_input = run_steno({"cat", "--pattern", "{format}", "-"}, other.bytes());
  EXPECT_EQ(from_input.out, "between\n");
  EXPECT_EQ(from_input.code, 0);
}

TEST(Cat, FilesThatCannotBeReadAreReportedAndTheOthersPrinted) {
  const TempFile good(sample());
  const TempFile empty;
  const TempFile text("not a log at all, but long enough to be looked at");
  format::SessionBlock newer_session;
  newer_session.version = 9;
  FileBuilder newer_file;
  newer_file.session(newer_session);
  const TempFile newer(newer_file.bytes());
  const Ran ran = run_steno({"cat", "--pattern", "{level}", "/nonexistent/app.steno", "/tmp", empty.path(), text.path(),
                             newer.path(), good.path()});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, "INFO\nNOTICE\nERROR\nDEBUG\nCRITICAL\nTRACE\n");
  EXPECT_NE(ran.err.find("/nonexistent/app.steno: no such file"), std::string::npos);
  EXPECT_NE(ran.err.find("/tmp: is a directory"), std::string::npos);
  EXPECT_NE(ran.err.find(empty.path() + ": is empty"), std::string::npos);
  EXPECT_NE(ran.err.find(text.path() + ": not a steno file"), std::string::npos);
  EXPECT_NE(ran.err.find(newer.path() + ": written in format version 9"), std::string::npos);
}

TEST(Cat, DamageIsReportedWithOffsetAndSize) {
  std::string bytes = sample();
  bytes.resize(bytes.size() - 11);
  const TempFile file(bytes);
  const Ran ran = run_steno({"cat", file.path()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("at offset"), std::string::npos);
  EXPECT_NE(ran.err.find("the file ends inside a block"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("steno verify"), std::string::npos);
}

// The name of a logger is in a block before its first record. If both are damaged, later records of it have no name,
// which who asks for it must know.
TEST(Cat, SaysThatADeclarationIsLostWhateverTimeIsAskedFor) {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  FileBuilder b;
  b.session().site(16, Level::kInfo, "line {}", "i").thread(0, 1, "main");
  b.log(0, 16, kT, Args().i32(0)).flush();
  const std::size_t begin = b.size();
  b.logger(2, "late").log(0, 16, kT + kHour, Args().i32(1), 2).flush();
  const std::size_t end = b.size();
  b.log(0, 16, kT + 2 * kHour, Args().i32(2), 2).flush();
  b.log(0, 16, kT + 3 * kHour, Args().i32(3), 2);
  std::string bytes = b.end().bytes();
  const std::vector<std::string> later = {"--since", "@" + std::to_string(kT + 2 * kHour), "--count"};
  const auto ask = [&](std::size_t at) {
    std::string damaged = bytes;
    for (std::size_t i = at; i < end; i += 40) damaged[i] ^= 1;
    const TempFile file(damaged);
    std::vector<std::string> command = {"cat", file.path()};
    command.insert(command.end(), later.begin(), later.end());
    return run_steno(command);
  };
  const Ran both = ask(begin + 40);
  EXPECT_EQ(both.code, 1);
  EXPECT_NE(both.err.find("damaged"), std::string::npos) << both.err;
  EXPECT_EQ(both.out, "2\n");
}

TEST(Cat, HeadEndsQuietly) {
  FileBuilder b;
  b.session().site(16, Level::kInfo, "line {}", "i").thread(0, 1, "t");
  for (int i = 0; i < 200'000; ++i) b.log(0, 16, kT + static_cast<std::uint64_t>(i), Args().i32(i));
  const TempFile file(b.end().bytes());
  const Ran ran = run_shell("set -o pipefail; $STENO cat --pattern '{message}' $FILE | head -1", file.path());
  EXPECT_EQ(ran.out, "line 0\n");
  EXPECT_EQ(ran.code, 0);
  const Ran full = run_shell("$STENO cat $FILE > /dev/full", file.path());
  EXPECT_EQ(full.code, 3);
  EXPECT_NE(full.out.find("cannot write the output: No space left on device"), std::string::npos) << full.out;
}

TEST(Cat, JsonIsValidWhateverWasLogged) {
  FileBuilder b;
  b.session()
      .site(16, Level::kInfo, "{} \x01\xff{}", "SU")
      .site(17, Level::kInfo, "%g %Lg", "de", 0, wire::Style::kPrintf);
  b.thread(0, 1, "th\"read\x80\n");
  std::uint64_t state = 1;
  const auto random = [&state] { return state = state * 6364136223846793005ull + 1442695040888963407ull; };
  const int rounds = test::sampled(2000);
  for (int i = 0; i < rounds; ++i) {
    std::string text(random() >> 60, '\0');
    for (char& c : text) c = static_cast<char>(random() >> 56);
    std::string wide(2 * (random() >> 61), '\0');
    for (char& c : wide) c = static_cast<char>(random() >> 56);
    b.log(0, 16, kT + random() % 1000, Args().text(text).text(wide, 'U'));
    unsigned __int128 extended = random() & 0xFFFF;
    extended = extended << 64 | random();
    b.log(0, 17, kT, Args().add('d', random()).add('e', extended));
  }
  const TempFile file(b.end().bytes());
  const std::string check =
      "python3 -c \"\nimport json, sys\nn = 0\nfor line in sys.stdin.buffer:\n"
      "  r = json.loads(line.decode('utf-8'), parse_constant=lambda c: 1 / 0)\n"
      "  assert list(r) == ['time', 'level', 'logger', 'thread', 'file', 'line', 'function', 'format', 'message', "
      "'args']\n"
      "  n += 1\nprint(n)\n\"";
  const Ran ran = run_shell("$STENO cat --format json $FILE | " + check, file.path());
  EXPECT_EQ(ran.out, std::to_string(2 * rounds) + "\n");
  const std::string csv_check =
      "python3 -c \"\nimport csv, io, sys, json\n"
      "text = sys.stdin.buffer.read().decode('utf-8', 'replace').replace(chr(0), '')\n"
      "rows = list(csv.reader(io.StringIO(text, newline='')))\n"
      "assert all(len(r) == 10 for r in rows)\n[json.loads(r[9]) for r in rows[1:]]\nprint(len(rows))\n\"";
  EXPECT_EQ(run_shell("$STENO cat --format csv $FILE | " + csv_check, file.path()).out,
            std::to_string(2 * rounds + 1) + "\n");
}

TEST(Cat, ColourOnlyWhenAsked) {
  const TempFile file(sample());
  EXPECT_EQ(run_steno({"cat", file.path()}).out.find('\x1b'), std::string::npos);
  EXPECT_NE(run_steno({"cat", "--color", "always", file.path()}).out.find("\x1b[31mERROR"), std::string::npos);
}

TEST(Cat, Terminal) {
  // script(1) gives a terminal; what reaches it must hold no escape that came from the log.
  const TempFile file(sample());
  const Ran ran = run_shell(
      "command -v script > /dev/null || exit 77; "
      "TERM=xterm NO_COLOR=1 script -qec '$STENO cat --level ERROR --pattern {message} $FILE' /dev/null",
      file.path());
  if (ran.code == 77) GTEST_SKIP() << "script(1) is not here";
  EXPECT_NE(ran.out.find("cannot open /tmp/a\\nb: \\x1b[31mred\\xff\xc3\xa9"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace steno
