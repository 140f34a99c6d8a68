#include "steno/batch.h"

#include <gtest/gtest.h>

#include "arrow_consumer.h"
#include "pull.h"
#include "reader/file_builder.h"
#include "reader/temp_file.h"
#include "steno/context.h"
#include "steno/log.h"
#include "steno/reader.h"
#include "steno/session.h"

namespace steno {
namespace {

using test::Args;
using test::ArrowCell;
using test::ArrowTable;
using test::FileBuilder;
using test::pull;
using test::TempFile;
using Cells = std::vector<ArrowCell>;
using Shape = BatchOptions::Shape;

constexpr std::int64_t kStart = FileBuilder::kStart;

LogReader open(const TempFile& file) {
  auto log = LogReader::open({file.path()});
  EXPECT_TRUE(log.ok());
  return std::move(log).value();
}

BatchOptions of_statement(std::string statement, std::vector<std::string> columns = {}) {
  BatchOptions options;
  options.shape = Shape::kStatement;
  options.statement = std::move(statement);
  options.columns = std::move(columns);
  return options;
}

// Every type, three rows: small, large, and what is odd.
std::string all_types() {
  FileBuilder builder;
  builder.session().thread(0, 1, "worker", 77);
  builder.site(16, Level::kInfo, "{b} {c} {a} {s} {i} {l} {h} {t} {j} {m} {f} {d} {p} {u} {w} {n} {o} {e} {g}",
               "bcasilhtjmfdpuwnoeg", 120);
  builder.site(17, Level::kWarn, "%s %ls: %m", "SWE", 130, wire::Style::kPrintf);
  builder.site(18, Level::kError, "say {x}", "U", 140);
  for (int i = 0; i < 3; ++i) {
    Args args;
    args.add('b', std::uint8_t(i % 2)).add('c', static_cast<char>(i == 2 ? 0xE4 : 'x' + i));
    args.add('a', std::int8_t(-128 + i)).add('s', std::int16_t(-300 * i)).i32(INT32_MIN + i).add('l', INT64_MAX - i);
    args.add('h', std::uint8_t(255 - i))
        .add('t', std::uint16_t(65535 - i))
        .add('j', UINT32_MAX - i)
        .u64(UINT64_MAX - i);
    args.add('f', 0.5f * static_cast<float>(i)).f64(i == 2 ? -0.0 : 0.1 * i).add('p', std::uint64_t(0xdeadbeef + i));
    args.add('u', i == 2 ? char16_t(0xD800) : char16_t(0x20AC))
        .add('w', i == 2 ? char32_t(0x110000) : char32_t(0x1F600));
    args.add('n', __int128(-i))
        .add('o', static_cast<unsigned __int128>(258))
        .add('e', __int128(i))
        .add('g', __int128(i));
    builder.log(0, 16, kStart + 10 + i, args);
  }
  const std::string_view wide("a\0\0\0\x00\xF6\x01\0", 8);
  builder.log(0, 17, kStart + 20, Args().text("plain").text(wide, 'W').add('E', 2));
  builder.log(0, 17, kStart + 21, Args().null_text().null_text('W').add('E', 13));
  builder.log(0, 17, kStart + 22, Args().text("b\xFF\xC3z").text("", 'W').add('E', -1));
  builder.log(0, 18, kStart + 23, Args().text(std::string_view("h\0i\0", 4), 'U'));
  builder.log(0, 18, kStart + 24, Args().null_text('U'));
  builder.log(0, 18, kStart + 25, Args().text(std::string_view("\x00\xD8", 2), 'U'));  // half of a pair
  return builder.end().bytes();
}

// Whatever a secret is of, its column is of texts that say nothing; unless it is asked for.
TEST(Batch, SecretsAreRedacted) {
  FileBuilder builder;
  builder.session().thread(0, 1, "worker", 77);
  builder.site_with_meanings(16, "{user} {pin} {took}", "Sil", {{1, "!"}, {2, "!ms"}});
  for (int i = 0; i < 50; ++i) {
    builder.log(0, 16, kStart + i, Args().text("ada").i32(4711 + i).add<std::int64_t>('l', i));
  }
  const TempFile file(builder.end().bytes());
  for (const bool dictionary : {false, true}) {
    BatchOptions options = of_statement("{user}", {"pin", "took"});
    options.dictionary_strings = dictionary;
    LogReader log = open(file);
    const ArrowTable table = pull(log, options);
    EXPECT_EQ(table.values("pin"), Cells(50, "[redacted]"));
    EXPECT_EQ(table.values("took"), Cells(50, "[redacted]"));
    options.where = "pin == 4711";
    EXPECT_EQ(log.for_each_batch(options, [](const Batch&) {}).code(), StatusCode::kInvalidArgument);
  }
  auto log = LogReader::open({file.path()}, {.show_secrets = true});
  ASSERT_TRUE(log.ok());
  std::size_t rows = 0;
  BatchOptions options = of_statement("{user}", {"pin", "took"});
  options.where = "pin == 4711";
  ASSERT_TRUE(log->for_each_batch(options, [&rows](const Batch& batch) { rows += batch.rows(); }).ok());
  EXPECT_EQ(rows, 1u);
}

TEST(Batch, EveryNumberType) {
  const TempFile file(all_types());
  LogReader log = open(file);
  const ArrowTable table = pull(log, of_statement("{b} {c}"));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.values("time"),
            (Cells{std::to_string(kStart + 10), std::to_string(kStart + 11), std::to_string(kStart + 12)}));
  EXPECT_EQ(table.values("thread"), (Cells{"worker", "worker", "worker"}));
  EXPECT_EQ(table.values("b"), (Cells{"false", "true", "false"}));
  EXPECT_EQ(table.values("c"), (Cells{"x", "y", "\uFFFD"}));
  EXPECT_EQ(table.values("a"), (Cells{"-128", "-127", "-126"}));
  EXPECT_EQ(table.values("s"), (Cells{"0", "-300", "-600"}));
  EXPECT_EQ(table.values("i"), (Cells{"-2147483648", "-2147483647", "-2147483646"}));
  EXPECT_EQ(table.values("l"), (Cells{"9223372036854775807", "9223372036854775806", "9223372036854775805"}));
  EXPECT_EQ(table.values("h"), (Cells{"255", "254", "253"}));
  EXPECT_EQ(table.values("t"), (Cells{"65535", "65534", "65533"}));
  EXPECT_EQ(table.values("j"), (Cells{"4294967295", "4294967294", "4294967293"}));
  EXPECT_EQ(table.values("m"), (Cells{"18446744073709551615", "18446744073709551614", "18446744073709551613"}));
  EXPECT_EQ(table.values("f"), (Cells{"0x0p+0", "0x1p-1", "0x1p+0"}));
  EXPECT_EQ(table.values("d"), (Cells{"0x0p+0", "0x1.999999999999ap-4", "-0x0p+0"}));
  EXPECT_EQ(table.values("p"), (Cells{"3735928559", "3735928560", "3735928561"}));
  EXPECT_EQ(table.values("u"), (Cells{"€", "€", "\uFFFD"}));
  EXPECT_EQ(table.values("w"), (Cells{"😀", "😀", "\uFFFD"}));
  EXPECT_EQ(table.values("n")[1], std::string(32, 'f'));
  EXPECT_EQ(table.values("o")[0], "0201" + std::string(28, '0'));
  EXPECT_EQ(table.values("g")[2], "02" + std::string(30, '0'));

  std::string formats;
  for (const test::ArrowField& field : table.fields) formats += field.format + " ";
  EXPECT_EQ(formats, "tsn:UTC u u b u c s i l C S I L f g L u u w:16 w:16 w:16 w:16 ");
  EXPECT_EQ(table.fields[3].metadata, "steno.type=b;");
  EXPECT_EQ(table.fields[18].metadata, "steno.type=n;");
  EXPECT_NE(table.metadata.find("steno.types=bcasilhtjmfdpuwnoeg;"), std::string::npos) << table.metadata;
}

TEST(Batch, MeaningsAreTypesOfArrow) {
  FileBuilder builder;
  builder.session().thread(0, 1, "main");
  builder.site_with_meanings(16, "{took} {at} {side} {size} {short} {days}", "llhmil",
                             {{0, "us"}, {1, "@ms"}, {2, "=0 buy,1 se\xFFll"}, {3, "B"}, {4, "ms"}, {5, "d"}});
  for (std::uint8_t i = 0; i < 3; ++i) {
    builder.log(0, 16, kStart + i,
                Args()
                    .add('l', std::int64_t{i} - 1)
                    .add('l', std::int64_t{i})
                    .add('h', i)
                    .u64(i)
                    .i32(i)
                    .add('l', std::int64_t{i}));
  }
  const TempFile file(builder.end().bytes());
  LogReader log = open(file);
  const ArrowTable table = pull(log, of_statement("{took}", {"took", "at", "side", "size", "short", "days"}));
  std::string formats;
  for (const test::ArrowField& field : table.fields) formats += field.format + " ";
  EXPECT_EQ(formats, "tDu tsm:UTC u L i l ");
  EXPECT_EQ(table.values("took"), (Cells{"-1", "0", "1"}));
  EXPECT_EQ(table.values("side"), (Cells{"buy", "se\uFFFDll", "2"}));
  EXPECT_EQ(table.fields[0].metadata, "steno.type=l;steno.meaning=us;");
  EXPECT_EQ(table.fields[3].metadata, "steno.type=m;steno.meaning=B;");
}

TEST(Batch, StringsAndNulls) {
  const TempFile file(all_types());
  LogReader log = open(file);
  for (const bool dictionaries : {false, true}) {
    BatchOptions options = of_statement("%ls", {"0", "1", "errno", "message"});
    options.dictionary_strings = dictionaries;
    const ArrowTable table = pull(log, options);
    EXPECT_EQ(table.values("0"), (Cells{"plain", std::nullopt, "b\uFFFD\uFFFDz"}));
    EXPECT_EQ(table.values("1"), (Cells{"a😀", std::nullopt, ""}));
    EXPECT_EQ(table.values("errno"), (Cells{"2", "13", "-1"}));
    EXPECT_EQ(table.values("message")[1], "(null) (null): Permission denied");
    EXPECT_EQ(table.fields[0].index_format, dictionaries ? "i" : "");
    EXPECT_TRUE(table.fields[0].nullable);
    EXPECT_FALSE(table.fields[2].nullable);
    options.statement = "say";
    options.columns = {"x"};
    EXPECT_EQ(pull(log, options).values("x"), (Cells{"hi", std::nullopt, "\uFFFD"}));
  }
  BatchOptions options = of_statement("%ls", {"0", "1"});
  options.binary_strings = true;
  const ArrowTable table = pull(log, options);
  EXPECT_EQ(table.values("0"), (Cells{"plain", std::nullopt, "b\xFF\xC3z"}));
  EXPECT_EQ(table.fields[0].format, "z");
  EXPECT_EQ(table.fields[1].format, "u");
}

TEST(Batch, ColumnsOfTheLog) {
  const TempFile file(all_types());
  LogReader log = open(file);
  BatchOptions options;
  options.columns = {"severity", "level",   "line", "stable_id", "file", "function", "format", "tid",
                     "ticks",    "session", "ring", "sequence",  "pid",  "program",  "host",   "logger"};
  options.where = "line == 130";
  const ArrowTable table = pull(log, options);
  ASSERT_EQ(table.rows.size(), 3u);
  std::string stable_id;
  for (const SiteFacts& site : log.sites()) {
    if (site.line == 130) stable_id = std::to_string(site.stable_id);
  }
  EXPECT_EQ(table.rows[1], (Cells{std::to_string(static_cast<int>(Level::kWarn)), "WARN", "130", stable_id,
                                  "src/server.cc", "serve", "%s %ls: %m", "77", std::to_string(kStart + 21), "0", "0",
                                  "4", "4242", "testprog", "testhost", ""}));
  const ArrowTable defaults = pull(log, {});
  std::string names;
  for (const test::ArrowField& field : defaults.fields) names += field.name + " ";
  EXPECT_EQ(names, "time severity level thread logger file line function format message ");
  EXPECT_EQ(defaults.rows.size(), 9u);
}

TEST(Batch, Views) {
  const TempFile file(all_types());
  LogReader log = open(file);
  BatchOptions options;
  options.shape = Shape::kStatement;
  options.columns = {"i", "b", "thread"};
  options.where = "level < ERROR";
  options.max_rows = 2;
  std::vector<std::size_t> rows;
  ASSERT_TRUE(log.for_each_batch(options,
                                 [&](const Batch& batch) {
                                   rows.push_back(batch.rows());
                                   EXPECT_EQ(batch.session(), 0u);
                                   EXPECT_EQ(batch.columns().back().text(0), "worker");
                                   EXPECT_EQ(batch.find("qty"), nullptr);
                                   const bool numbers = batch.site().line == 120;
                                   EXPECT_EQ(batch.columns().size(), numbers ? 3u : 1u);  // those of the statement
                                   if (!numbers) return;
                                   EXPECT_EQ(batch.find("i")->data<std::int32_t>()[0],
                                             INT32_MIN + (rows.size() == 1 ? 0 : 2));
                                   EXPECT_EQ(batch.find("i")->format, "i");
                                   EXPECT_EQ(batch.find("b")->truth(batch.rows() - 1), rows.size() == 1);
                                   EXPECT_EQ(batch.min_time_ns(), kStart + (rows.size() == 1 ? 10 : 12));
                                   EXPECT_EQ(batch.max_time_ns(), kStart + (rows.size() == 1 ? 11 : 12));
                                 })
                  .ok());
  EXPECT_EQ(rows, (std::vector<std::size_t>{2, 1, 2, 1}));
}

TEST(Batch, FiltersAndStops) {
  const TempFile file(all_types());
  LogReader log = open(file);
  BatchOptions options;
  options.since_ns = kStart + 11;
  options.until_ns = kStart + 21;
  EXPECT_EQ(pull(log, options).rows.size(), 3u);
  options.min_level = Level::kWarn;
  EXPECT_EQ(pull(log, options).rows.size(), 1u);
  options.where = "{0} == \"nothing\"";
  EXPECT_EQ(pull(log, options).rows.size(), 0u);
  options = {};
  options.stable_id = log.sites().back().stable_id;
  options.max_rows = 1;
  std::size_t batches = 0;
  EXPECT_TRUE(log.for_each_batch(options, [&](const Batch&) { return ++batches < 2; }).ok());
  EXPECT_EQ(batches, 2u);
}

TEST(Batch, Names) {
  FileBuilder builder;
  builder.session().thread(0, 1, "t");
  builder.site(16, Level::kInfo, "{time} {thread} {x}", "iii", 120);
  builder.log(0, 16, kStart, Args().i32(1).i32(2).i32(3));
  const TempFile file(builder.end().bytes());
  LogReader log = open(file);
  const auto names = [&](std::vector<std::string> columns) {
    std::string all;
    for (const test::ArrowField& field : pull(log, of_statement("{x}", std::move(columns))).fields)
      all += field.name + " ";
    return all;
  };
  EXPECT_EQ(names({}), "time thread logger time_2 thread_2 x ");
  EXPECT_EQ(names({"{time}", "time", "2", "x"}), "time_2 time x x_2 ");
  EXPECT_EQ(names({"{time}"}), "time ");
  EXPECT_EQ(pull(log, of_statement("{x}", {"time", "{time}"})).fields[1].metadata, "steno.type=i;steno.name=time;");
  EXPECT_EQ(pull(log, of_statement("{x}", {"{time}"})).values("time"), Cells{"1"});
}

std::string problem(LogReader& log, const BatchOptions& options) {
  ArrowArrayStream stream;
  const Status status = log.stream(options, &stream);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(stream.release, nullptr);
  return status.message();
}

std::string hex_of(std::uint64_t stable_id) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(stable_id));
  return text;
}

TEST(Batch, Mistakes) {
  FileBuilder builder;
  builder.session().thread(0, 1, "t");
  builder.site(16, Level::kInfo, "got {x}", "i", 120).site(17, Level::kInfo, "got {x}", "d", 121);
  builder.log(0, 16, kStart, Args().i32(1)).log(0, 17, kStart, Args().f64(2));
  const TempFile file(builder.end().bytes());
  LogReader log = open(file);
  EXPECT_EQ(problem(log, of_statement("")), "a stream has one schema: choose a statement");
  EXPECT_EQ(problem(log, of_statement("got {x}")),
            "the statement has arguments of different types at src/server.cc:121 and at src/server.cc:120; choose one "
            "by its stable id: " +
                hex_of(log.sites()[1].stable_id) + " or " + hex_of(log.sites()[0].stable_id));
  BatchOptions options = of_statement("got {x}");
  options.stable_id = log.sites()[1].stable_id;
  EXPECT_EQ(pull(log, options).rows.size(), 1u);
  EXPECT_EQ(pull(log, of_statement(hex_of(log.sites()[1].stable_id))).values("x"), Cells{"0x1p+1"});
  EXPECT_EQ(problem(log, of_statement("lost {x}")).substr(0, 38), "no statement has the text 'lost {x}'; ");
  EXPECT_EQ(problem(log, of_statement("got {x}", {"levle"})), "no column 'levle'; did you mean 'level'?");
  options = {};
  options.columns = {"x"};
  EXPECT_EQ(problem(log, options).substr(0, 13), "no column 'x'");
  options.columns = {"time", "time"};
  EXPECT_EQ(problem(log, options), "column 'time' is named twice");
  options = {};
  options.where = "qty > 3";
  EXPECT_NE(problem(log, options).find("qty"), std::string::npos);
  options = {};
  options.stable_id = 0xabc;
  EXPECT_EQ(problem(log, options), "no statement has the stable id 0000000000000abc");
  options = {};
  options.part = 2;
  options.parts = 2;
  EXPECT_EQ(problem(log, options), "part must be less than parts");
  options = {};
  options.max_rows = 0;
  EXPECT_EQ(problem(log, options), "max_rows must not be 0");
}

// Texts that together pass the limit of a batch.
TEST(Batch, LongTexts) {
  FileBuilder builder;
  builder.session().thread(0, 1, "t").site(16, Level::kInfo, "{x}", "S", 120);
  for (std::size_t i = 0; i < 170; ++i)
    builder.log(0, 16, kStart + i, Args().text(std::string(400'000, static_cast<char>('a' + i % 26))));
  const TempFile file(builder.end().bytes());
  LogReader log = open(file);
  for (const char* column : {"message", "x"}) {
    std::vector<std::size_t> rows;
    std::size_t i = 0;
    ASSERT_TRUE(log.for_each_batch(of_statement("{x}", {column}),
                                   [&](const Batch& batch) {
                                     rows.push_back(batch.rows());
                                     for (std::size_t row = 0; row < batch.rows(); ++row, ++i) {
                                       const std::string_view text = batch.columns()[0].text(row);
                                       ASSERT_EQ(text.size(), 400'000u);
                                       ASSERT_EQ(text.back(), static_cast<char>('a' + i % 26));
                                     }
                                   })
                    .ok());
    EXPECT_EQ(rows, (std::vector<std::size_t>{168, 2}));
  }
}

// A statement is logged within contexts and outside of them. A stream has one schema, and all rows.
TEST(Batch, AStreamOfAFieldOfContext) {
  const TempFile file;
  {
    auto session = Session::open(file.path());
    ASSERT_TRUE(session.ok()) << session.status().message();
    const Logger logger = session->logger("batch");
    for (int i = 0; i < 3; ++i) {
      const auto log = [&] { STENO_LOG_TO(logger, INFO, "asked for {item}", i); };
      log();
      const ScopedContext request("request", i + 10);
      log();
    }
  }
  LogReader log = open(file);
  EXPECT_EQ(pull(log, of_statement("asked for {item}", {"item"})).rows.size(), 6u);
  const ArrowTable table = pull(log, of_statement("asked for {item}", {"request", "item"}));
  EXPECT_EQ(table.fields[0].name, "request");
  ASSERT_EQ(table.rows.size(), 6u);
  Cells requests = table.values("request");
  std::sort(requests.begin(), requests.end());
  EXPECT_EQ(requests, (Cells{std::nullopt, std::nullopt, std::nullopt, "10", "11", "12"}));
}

TEST(Batch, EmptyLog) {
  FileBuilder builder;
  const TempFile file(builder.session().end().bytes());
  LogReader log = open(file);
  const ArrowTable table = pull(log, {});
  EXPECT_EQ(table.fields.size(), 10u);
  EXPECT_TRUE(table.rows.empty());
}

}  // namespace
}  // namespace steno
