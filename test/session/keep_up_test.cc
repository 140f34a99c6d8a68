// A scribe that is behind packs with less effort, and says so.
#include "reader/log_file.h"
#include "reader/statistics.h"
#include "runtime/core.h"

#include <random>

#include "log_test.h"

namespace steno_test {
namespace {

class KeepUpTest : public LogTest {
 protected:
  // Starts without a scribe: nobody writes until the test does, as if the scribe had been held up.
  void start_without_scribe(bool keep_up) {
    steno::Options options;
    options.scribe_thread = false;
    options.ring_bytes = 1 << 16;
    options.keep_up = keep_up;
    start(options);
    steno::prepare_thread();
    std::size_t capacity = 0;
    steno::runtime::Core& core = *steno::runtime::core_at(0);
    for (std::uint32_t i = 0; i < core.rings().count(); ++i) {
      if (core.rings().at(i).writer == &steno::detail::tls_writer) capacity = core.rings().at(i).reach();
    }
    ASSERT_GE(capacity, options.ring_bytes);  // more: a ring from a test before this one
    much_ = capacity / 16 * 13;
    little_ = capacity / 16 * 3;
  }

  // Fills so much of the ring.
  void log_bytes(std::size_t bytes) {
    for (std::size_t written = 0; written < bytes;) {
      const std::string text = next_text();
      written += (16 + 4 + text.size() + 7) / 8 * 8;
      STENO_INFO("{}", text);
      expected_.push_back(text);
    }
  }

  // Sentences of many words, which symbols are for.
  std::string next_text() {
    static const char* const kWords[] = {"the", "request", "timed", "out", "while", "a", "reader", "waited", "for"};
    std::string text = std::to_string(expected_.size());
    for (std::size_t n = 10 + random_() % 10; n != 0; --n)
      text += std::string(" ") + kWords[random_() % std::size(kWords)];
    return text;
  }

  void expect_all() {
    const Log log = finish();
    ASSERT_EQ(log.rows.size(), expected_.size());
    for (std::size_t i = 0; i < expected_.size(); ++i) ASSERT_EQ(log.rows[i].message, expected_[i]);
    EXPECT_TRUE(log.losses.empty());
  }

  std::uint64_t quick_blocks_on_file() const {
    steno::reader::Ordinals ordinals;
    const auto file = steno::reader::LogFile::open(path(), &ordinals);
    EXPECT_TRUE(file.ok());
    return file.ok() ? collect_statistics(**file).quick_blocks : 0;
  }

  std::size_t much_ =
      0;  // more than three quarters of the ring, and less than seven eighths, which is all that INFO has
  std::size_t little_ = 0;
  std::minstd_rand random_;
  std::vector<std::string> expected_;
};

TEST_F(KeepUpTest, PacksQuicklyUntilItHasCaughtUp) {
  in_process_of_its_own([this] {
    start_without_scribe(true);
    if (IsSkipped()) return;
    log_bytes(little_);
    steno::flush();
    EXPECT_EQ(steno::stats().quick_blocks, 0u);
    log_bytes(much_);
    steno::flush();
    EXPECT_EQ(steno::stats().quick_blocks, 1u);
    log_bytes(little_);
    steno::flush();
    EXPECT_EQ(steno::stats().quick_blocks, 1u);
    expect_all();
    EXPECT_EQ(quick_blocks_on_file(), 1u);
  });
}

TEST_F(KeepUpTest, NotIfItIsNotTo) {
  in_process_of_its_own([this] {
    start_without_scribe(false);
    if (IsSkipped()) return;
    log_bytes(much_);
    steno::flush();
    EXPECT_EQ(steno::stats().quick_blocks, 0u);
    expect_all();
    EXPECT_EQ(quick_blocks_on_file(), 0u);
  });
}

// Nobody waits for room any more.
TEST_F(KeepUpTest, NotAtTheEnd) {
  in_process_of_its_own([this] {
    start_without_scribe(true);
    if (IsSkipped()) return;
    log_bytes(much_);
    expect_all();
    EXPECT_EQ(quick_blocks_on_file(), 0u);
  });
}

}  // namespace
}  // namespace steno_test
