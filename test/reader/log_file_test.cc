#include "reader/log_file.h"

#include <gtest/gtest.h>

#include "file_builder.h"
#include "reader/log_set.h"
#include "reader/losses.h"
#include "reader/merge.h"
#include "reader/message.h"
#include "temp_file.h"

namespace steno::reader {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

constexpr std::uint64_t kT = FileBuilder::kStart;

// All messages in the order of the merge, each "thread: message".
std::vector<std::string> messages(const LogSet& logs) {
  std::vector<std::string> lines;
  Merge merge(logs, {});
  Slice slice;
  while (merge.next(&slice)) {
    for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
      std::vector<text::Value> values(slice.block->group(i).columns);
      slice.block->values(i, values.data());
      ByteBuffer out;
      append_message(slice.block->group(i), values, out);
      lines.push_back(slice.thread->display() + ": " + std::string(reinterpret_cast<char*>(out.data()), out.size()));
    }
  }
  return lines;
}

std::vector<std::string> messages(const std::string& bytes) {
  const TempFile file(bytes);
  LogSet logs;
  EXPECT_TRUE(logs.add(file.path()).ok());
  return messages(logs);
}

class LogFileTest : public testing::TestWithParam<bool> {  // rows or columns
 protected:
  FileBuilder builder_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Blocks, LogFileTest, testing::Bool(),
                         [](const auto& param) { return param.param ? "Rows" : "Columns"; });

TEST_P(LogFileTest, RenamedThreadKeepsItsOldNameBefore) {
  builder_.session().site(16, Level::kInfo, "n {}", "i").thread(0, 1, "before");
  builder_.log(0, 16, kT + 1, Args().i32(1)).flush();
  builder_.thread(0, 1, "after").log(0, 16, kT + 2, Args().i32(2)).end();
  EXPECT_EQ(messages(builder_.bytes()), (std::vector<std::string>{"before: n 1", "after: n 2"}));
}

TEST_P(LogFileTest, SiteIdUsedAgain) {
  builder_.session().site(16, Level::kInfo, "old {}", "i").thread(0, 1, "t");
  builder_.log(0, 16, kT + 1, Args().i32(1)).flush();
  builder_.site(16, Level::kInfo, "new {}", "S").log(0, 16, kT + 2, Args().text("x")).end();
  EXPECT_EQ(messages(builder_.bytes()), (std::vector<std::string>{"t: old 1", "t: new x"}));
}

TEST_P(LogFileTest, SessionsKeepTheirDictionariesApart) {
  builder_.session(1).site(16, Level::kInfo, "first {}", "i").thread(0, 1, "a");
  builder_.log(0, 16, kT + 1, Args().i32(1)).end();
  builder_.session(2).site(16, Level::kInfo, "second {}", "i").thread(0, 1, "b");
  builder_.log(0, 16, kT + 2, Args().i32(2)).end();
  EXPECT_EQ(messages(builder_.bytes()), (std::vector<std::string>{"a: first 1", "b: second 2"}));
}

TEST_P(LogFileTest, RepeatedBlockIsShownOnce) {
  builder_.session().site(16, Level::kInfo, "n {}", "i").thread(0, 1, "t");
  builder_.log(0, 16, kT + 1, Args().i32(1)).flush();
  const std::size_t begin = builder_.size();
  builder_.log(0, 16, kT + 2, Args().i32(2)).log(0, 16, kT + 3, Args().i32(3)).flush();
  builder_.raw(builder_.bytes().substr(begin));
  builder_.log(0, 16, kT + 4, Args().i32(4)).end();
  EXPECT_EQ(messages(builder_.bytes()), (std::vector<std::string>{"t: n 1", "t: n 2", "t: n 3", "t: n 4"}));
  const TempFile file(builder_.bytes());
  LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  EXPECT_EQ(logs.files()[0]->sessions()[0]->records, 4u);
  EXPECT_EQ(logs.files()[0]->sessions()[0]->repeated, 2u);
  EXPECT_TRUE(find_losses(*logs.files()[0], {}).complete());
}

TEST_P(LogFileTest, BlocksOutOfOrderAreReadInTheOrderOfTheRing) {
  builder_.session().site(16, Level::kInfo, "n {}", "i").thread(0, 1, "t");
  builder_.log(0, 16, kT, Args().i32(0)).flush();
  const std::size_t a = builder_.size();
  builder_.log(0, 16, kT + 1, Args().i32(1)).flush();
  const std::size_t b = builder_.size();
  builder_.log(0, 16, kT + 2, Args().i32(2)).flush();
  const std::string bytes = builder_.bytes();
  EXPECT_EQ(messages(bytes.substr(0, a) + bytes.substr(b) + bytes.substr(a, b - a)),
            (std::vector<std::string>{"t: n 0", "t: n 1", "t: n 2"}));
}

TEST_P(LogFileTest, ForeignTagBelongsToNobodyKnown) {
  // A dictionary, data and clock of a session whose session block is gone are still readable.
  FileBuilder other(GetParam());
  other.session(0x99, 1);
  const std::size_t session_end = other.size();
  other.site(16, Level::kInfo, "n {}", "i").thread(0, 1, "t").log(0, 16, 500, Args().i32(1)).flush();
  format::ClockPoint point;
  point.ticks = 400;
  point.wall_ns = kT;
  point.ns_per_tick = 0.5;
  other.clock({point});
  const TempFile file(other.bytes().substr(session_end));
  LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  EXPECT_EQ(messages(logs), (std::vector<std::string>{"t: n 1"}));
  EXPECT_FALSE(logs.files()[0]->sessions()[0]->known);
  EXPECT_EQ(logs.files()[0]->sessions()[0]->clock.wall(500), static_cast<std::int64_t>(kT) + 50);
}

TEST_P(LogFileTest, WithoutClockPointsTimesStartAtTheSession) {
  builder_.session(5, 1)
      .site(16, Level::kInfo, "x", "")
      .thread(0, 1, "t")
      .log(0, 16, 777'000)
      .log(0, 16, 777'005)
      .end();
  const TempFile file(builder_.bytes());
  LogSet logs;
  ASSERT_TRUE(logs.add(file.path()).ok());
  const Session& session = *logs.files()[0]->sessions()[0];
  EXPECT_FALSE(session.dated);
  EXPECT_EQ(session.clock.wall(777'005), FileBuilder::kStart + 5);
}

TEST_P(LogFileTest, UnknownTypesAreReportedAndTheRestIsRead) {
  builder_.session().site(16, Level::kInfo, "n {}", "i").thread(0, 1, "t").log(0, 16, kT, Args().i32(1)).flush();
  builder_.site(17, Level::kInfo, "new kind {}", "[").log(0, 17, kT + 1).flush();
  builder_.log(0, 16, kT + 2, Args().i32(2)).end();
  const auto lines = messages(builder_.bytes());
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines.front(), "t: n 1");
  EXPECT_EQ(lines.back(), "t: n 2");
}

TEST(LogFile, RefusesWhatIsNoLog) {
  Ordinals ordinals;
  const TempFile empty;
  EXPECT_EQ(LogFile::open(empty.path(), &ordinals).status().code(), StatusCode::kNotFound);
  const TempFile text(std::string(5000, 'x'));
  const auto foreign = LogFile::open(text.path(), &ordinals);
  EXPECT_EQ(foreign.status().code(), StatusCode::kCorrupt);
  EXPECT_NE(foreign.status().message().find("not a steno file"), std::string::npos);
}

TEST(LogFile, NewerVersion) {
  format::SessionBlock newer;
  newer.version = format::kNewestVersion + 1;
  newer.session_id = 7;
  Ordinals ordinals;
  FileBuilder only;
  only.session(newer);
  const TempFile file(only.bytes());
  const auto refused = LogFile::open(file.path(), &ordinals);
  EXPECT_EQ(refused.status().code(), StatusCode::kUnsupported);
  EXPECT_NE(refused.status().message().find("version " + std::to_string(newer.version)), std::string::npos);

  // It is a loss after a session that can be read.
  FileBuilder later;
  later.session().site(16, Level::kInfo, "x", "").thread(0, 1, "t").log(0, 16, kT).end().session(newer);
  const TempFile mixed(later.bytes());
  const auto opened = LogFile::open(mixed.path(), &ordinals);
  ASSERT_TRUE(opened.ok());
  ASSERT_EQ((*opened)->damage().size(), 1u);
  EXPECT_EQ((*opened)->damage()[0].kind, DamageKind::kNewer);
  EXPECT_EQ((*opened)->sessions().size(), 1u);
}

TEST(Dictionary, NamesAreMadeUnique) {
  wire::SiteInfo info;
  info.id = 16;
  info.format = "{x} {x} {x_2} {}";
  info.types = "iiii";
  const Site site(info, true, 0, Secrets::kRedacted, ReadLimits().fields);
  std::set<std::string> names(site.argument_names().begin(), site.argument_names().end());
  EXPECT_EQ(names.size(), 4u);
}

}  // namespace
}  // namespace steno::reader
