// The thread of one sink, on a target of the test's own.
#include "sink/sink_thread.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "wire/dictionary.h"

namespace steno::sink {
namespace {

// The behaviour of a target, and the lines that it was given. It outlives the target.
struct Script {
  std::mutex mutex;
  std::vector<std::string> lines;
  std::deque<std::string> warnings;
  std::vector<Loss> losses;  // after each write
  bool refuses = false;
};

class ScriptedTarget final : public Target {
 public:
  explicit ScriptedTarget(std::shared_ptr<Script> script) : script_(std::move(script)) {}

  bool wants_lines() const override { return true; }
  Status write(std::string_view, std::span<const Line> lines) override {
    const std::lock_guard lock(script_->mutex);
    if (script_->refuses) return {StatusCode::kIoError, "refused"};
    for (const Line& line : lines) script_->lines.emplace_back(line.text);
    wrote_ = true;
    return {};
  }
  // Lines that were lost during a write are known after it.
  Loss take_loss() override {
    const std::lock_guard lock(script_->mutex);
    if (!std::exchange(wrote_, false) || script_->losses.empty()) return {};
    const Loss loss = script_->losses.front();
    script_->losses.erase(script_->losses.begin());
    return loss;
  }
  std::string take_warning() override {
    const std::lock_guard lock(script_->mutex);
    if (script_->warnings.empty()) return {};
    std::string warning = script_->warnings.front();
    script_->warnings.pop_front();
    return warning;
  }
  std::string name() const override { return "the target"; }

 private:
  const std::shared_ptr<Script> script_;
  bool wrote_ = false;
};

class SinkThreadTest : public ::testing::Test {
 protected:
  SinkThreadTest() {
    SinkOptions options;
    options.pattern = "{message}";
    sink_ = std::make_shared<SinkThread>(options, INT64_MAX);
    EXPECT_TRUE(sink_->start(std::make_unique<ScriptedTarget>(script_)).ok());
    Look look = empty_look();
    look.begins = std::make_shared<const format::SessionBlock>();
    auto declarations = std::make_shared<Declarations>();
    wire::SiteInfo site;
    site.level = Level::kInfo;
    site.format = "number {}";
    site.types = "m";
    site.stable_id = wire::stable_site_id(site);
    wire::append_entry(declarations->entries, site);
    wire::append_entry(declarations->entries, wire::ThreadInfo{0, 1, "main"});
    declarations->points.push_back({1, 1});
    look.declarations = std::move(declarations);
    sink_->push(std::move(look), 0);
  }
  ~SinkThreadTest() override { sink_->close(); }

  static Look empty_look() {
    Look look;
    look.ticks = 1'000'000'000;  // no record is young
    return look;
  }
  // Returns when the target has the record's line, or has refused it. `skipped`: records that were left out before it.
  void log(std::uint64_t number, std::uint64_t skipped = 0) {
    auto records = std::make_shared<Records>();
    records->bytes.put(wire::Header{0, 3, 0}.pack());
    records->bytes.put(std::uint64_t{1});
    records->bytes.put(number);
    records->runs.push_back({0, 0, 1, 0, 0});
    records->groups.push_back({.site = 0, .level = Level::kInfo, .records = 1});
    records->order.push_back(0);
    records->clocks.push_back(1);
    records->offsets.push_back(0);
    Look look = empty_look();
    look.records = std::move(records);
    sink_->push(std::move(look), skipped);
    EXPECT_TRUE(sink_->wait_written());
  }
  void flush() {
    Look look = empty_look();
    look.last = true;
    sink_->push(std::move(look), 0);
    EXPECT_TRUE(sink_->wait_written());
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(script_->mutex);
    return script_->lines;
  }
  std::vector<std::string> warnings() {
    std::vector<std::string> all;
    for (std::string warning; !(warning = sink_->take_warning()).empty();) all.push_back(std::move(warning));
    return all;
  }

  const std::shared_ptr<Script> script_ = std::make_shared<Script>();
  std::shared_ptr<SinkThread> sink_;
};

TEST_F(SinkThreadTest, EachWarningIsReturnedOnce) {
  script_->warnings = {"first", "second"};
  script_->refuses = true;
  log(1, 5);
  EXPECT_EQ(warnings(),
            (std::vector<std::string>{"the target does not keep up and skips lines", "first", "second",
                                      "the target cannot be written (refused): lines are skipped until it can"}));
  EXPECT_TRUE(warnings().empty());
}

TEST_F(SinkThreadTest, OfWarningsThatNobodyTakesTheFirstAreKept) {
  for (int i = 0; i < 1000; ++i) script_->warnings.push_back(std::to_string(i));
  log(1);
  const std::vector<std::string> kept = warnings();
  ASSERT_FALSE(kept.empty());
  EXPECT_LT(kept.size(), 100u);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], std::to_string(i));
}

// Over TCP, the write of the notice may show that the connection was lost, with lines that had been sent.
TEST_F(SinkThreadTest, LinesThatAreLostWhileANoticeIsWrittenAreReported) {
  script_->losses = {Loss{7, "cut off"}};
  log(1, 5);
  EXPECT_EQ(lines(), (std::vector<std::string>{"lines skipped here: 5 (the sink did not keep up)", "number 1"}));
  log(2);
  EXPECT_EQ(lines(), (std::vector<std::string>{"lines skipped here: 5 (the sink did not keep up)", "number 1",
                                               "lines skipped here: 7 (cut off)", "number 2"}));
}

TEST_F(SinkThreadTest, LinesThatAreLostWhileTheLastNoticeIsWrittenAreReported) {
  script_->losses = {Loss{5, "cut off"}, Loss{7, "cut off again"}};
  log(1);
  flush();
  EXPECT_EQ(lines(), (std::vector<std::string>{"number 1", "lines skipped here: 5 (cut off)",
                                               "lines skipped here: 7 (cut off again)"}));
}

TEST_F(SinkThreadTest, ANoticeThatIsRefusedIsWrittenLater) {
  script_->refuses = true;
  log(1, 5);
  script_->refuses = false;
  log(2);
  EXPECT_EQ(lines(), (std::vector<std::string>{"lines skipped here: 6 (refused)", "number 2"}));
}

}  // namespace
}  // namespace steno::sink
