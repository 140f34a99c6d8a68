#include "steno/reader.h"

#include <gtest/gtest.h>

#include "file_builder.h"
#include "temp_file.h"

namespace steno {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

std::string sample() {
  FileBuilder builder;
  builder.session().site(16, Level::kInfo, "filled {qty} @ {price:.2f} for {client}", "idS", 120);
  builder.site(17, Level::kError, "%s failed: %m", "SE", 130, wire::Style::kPrintf);
  builder.site(18, Level::kDebug, "unused", "", 140);
  builder.logger(1, "net").thread(0, 1, "worker", 77);
  builder.log(0, 16, FileBuilder::kStart + 5, Args().i32(-3).f64(1.5).text("acme"));
  builder.log(0, 17, FileBuilder::kStart + 9, Args().null_text().add<std::int32_t>('E', 2), 1);
  builder.end();
  return builder.bytes();
}

TEST(LogReader, RecordsWithValues) {
  const TempFile file(sample());
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  int seen = 0;
  log->for_each([&](const Record& r) {
    if (seen++ == 0) {
      EXPECT_EQ(r.time_ns(), FileBuilder::kStart + 5);
      EXPECT_EQ(r.level(), Level::kInfo);
      EXPECT_EQ(r.logger(), "");
      EXPECT_EQ(r.thread(), "worker");
      EXPECT_EQ(r.thread_id(), 77u);
      EXPECT_EQ(r.site().line, 120u);
      EXPECT_EQ(r.site().file, "src/server.cc");
      EXPECT_EQ(r.message(), "filled -3 @ 1.50 for acme");
      ASSERT_EQ(r.argument_count(), 3u);
      EXPECT_EQ(r.argument(0).name(), "qty");
      EXPECT_EQ(r.argument(0).as_int64(), -3);
      EXPECT_EQ(r.argument(0).as_double(), -3.0);
      EXPECT_EQ(r.argument(1).as_double(), 1.5);
      EXPECT_EQ(r.argument(2).as_string(), "acme");
      std::string text;
      r.argument(2).append_text(&text);
      EXPECT_EQ(text, "acme");
    } else {
      EXPECT_EQ(r.logger(), "net");
      EXPECT_TRUE(r.argument(0).is_null());
      EXPECT_EQ(r.message(), "(null) failed: No such file or directory");
    }
  });
  EXPECT_EQ(seen, 2);
  EXPECT_TRUE(log->losses().empty());
}

TEST(LogReader, FiltersAndStops) {
  const TempFile file(sample());
  auto log = LogReader::open({file.path(), file.path()});  // the same records twice: shown once
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log->sessions().size(), 2u);
  EXPECT_EQ(log->sessions()[0].program, "testprog");
  EXPECT_TRUE(log->sessions()[0].ended);
  EXPECT_EQ(log->sites().size(), 6u);
  int errors = 0;
  ReadFilter filter;
  filter.min_level = Level::kError;
  log->for_each(filter, [&](const Record&) { ++errors; });
  EXPECT_EQ(errors, 1);
  int seen = 0;
  log->for_each([&](const Record&) { ++seen; });
  EXPECT_EQ(seen, 2);
  seen = 0;
  log->for_each([&](const Record&) { return ++seen < 1; });
  EXPECT_EQ(seen, 1);
}

TEST(LogReader, ReportsLosses) {
  std::string bytes = sample();
  bytes.resize(bytes.size() - 9);
  const TempFile file(bytes);
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  const auto losses = log->losses();
  ASSERT_FALSE(losses.empty());
  EXPECT_EQ(losses[0].path, file.path());
  EXPECT_GT(losses[0].size, 0u);
  EXPECT_FALSE(losses[0].text.empty());
}

TEST(LogReader, OpenFails) {
  EXPECT_EQ(LogReader::open({"/nonexistent.steno"}).status().code(), StatusCode::kNotFound);
}

TEST(Argument, SixteenByteNumbers) {
  FileBuilder builder;
  builder.session().site(16, Level::kInfo, "{} {} {} {}", "noeg").thread(0, 1, "t");
  unsigned char quad[16] = {};
  quad[15] = 0xC0;  // -2.0 as binary128: sign 1, exponent 0x4000
  __int128 packed;
  std::memcpy(&packed, quad, 16);
  const long double extended = 0.375L;
  unsigned char ext[16] = {};
  std::memcpy(ext, &extended, 10);
  __int128 ext_packed;
  std::memcpy(&ext_packed, ext, 16);
  builder.log(0, 16, FileBuilder::kStart,
              Args().add<__int128>('n', -5).add<unsigned __int128>('o', 7).add('e', ext_packed).add('g', packed));
  builder.end();
  const TempFile file(builder.bytes());
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  log->for_each([](const Record& r) {
    EXPECT_EQ(r.argument(0).as_double(), -5.0);
    EXPECT_EQ(r.argument(1).as_double(), 7.0);
    EXPECT_EQ(r.argument(2).as_double(), 0.375);
    EXPECT_EQ(r.argument(3).as_double(), -2.0);
    EXPECT_NE(r.argument(0).bytes16(), nullptr);
  });
}

}  // namespace
}  // namespace steno
