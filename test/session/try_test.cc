// STENO_TRY_…: whether a record was dropped.
#include <steno/logf.h>

#include "log_test.h"

namespace steno_test {
namespace {

class TryTest : public LogTest {};

TEST_F(TryTest, IsTrueForWhatIsLoggedAndForWhatIsDisabled) {
  start();
  int evaluated = 0;
  steno::Logger quiet = steno::logger("quiet", steno::Level::kError);
  EXPECT_TRUE(STENO_TRY_INFO("one {}", 1));
  EXPECT_TRUE(STENO_TRY_LOGF(NOTICE, "two %d", 2));
  EXPECT_TRUE(STENO_TRY_LOG_TO(quiet, ERROR, "three {}", "3"));
  EXPECT_TRUE(STENO_TRY_LOGF_TO(quiet, WARN, "not logged %d", ++evaluated));
  EXPECT_TRUE(STENO_TRY_ERRORF("%s", std::string(100000, 'x').c_str()));
  steno::set_level(steno::Level::kWarn);
  EXPECT_TRUE(STENO_TRY_INFO("not logged {}", ++evaluated));
  steno::set_level(steno::Level::kTrace);
  EXPECT_EQ(evaluated, 0);
  const bool single = STENO_TRY_INFO("logged, though constants have such initialisers");
  EXPECT_TRUE(single);
  const bool both = STENO_TRY_INFO("four") && STENO_TRY_DEBUG("five {}", 5);
  EXPECT_TRUE(both);
  std::vector<std::string> messages;
  for (const Row& row : finish().rows) messages.push_back(row.message);
  EXPECT_EQ(messages, (std::vector<std::string>{"one 1", "two 2", "three 3", std::string(100000, 'x'),
                                                "logged, though constants have such initialisers", "four", "five 5"}));
}

TEST_F(TryTest, IsFalseForExactlyWhatIsDropped) {
  in_process_of_its_own([this] {
    // Nobody empties the rings before the end.
    start({.ring_bytes = 4096, .when_full = steno::WhenFull::kDrop, .scribe_thread = false});
    std::vector<std::string> accepted;
    std::uint64_t refused = 0;
    for (int i = 0; i < 3000; ++i) {
      const std::string text(static_cast<std::size_t>(i % 7 == 0 ? 3000 : i % 50), 'x');
      const bool logged = i % 2 == 0 ? STENO_TRY_INFO("{} {}", i, text) : STENO_TRY_INFOF("%d %s", i, text.c_str());
      if (logged) {
        accepted.push_back(std::to_string(i));
      } else {
        ++refused;
      }
    }
    EXPECT_GT(refused, 0u);
    const Log log = finish();
    std::vector<std::string> found;
    std::uint64_t dropped = 0;
    for (const Row& row : log.rows) {
      if (row.message.find("records dropped") != std::string::npos) {
        dropped += std::stoull(row.message);
      } else {
        found.push_back(row.message.substr(0, row.message.find(' ')));  // so small a ring cuts long texts
      }
    }
    EXPECT_EQ(found, accepted);
    EXPECT_EQ(dropped, refused);
  });
}

TEST_F(TryTest, IsFalseWhereTheSessionHasEnded) {
  auto session = steno::Session::open(path("other.steno"));
  ASSERT_TRUE(session.ok()) << session.status().message();
  const steno::Logger logger = session->logger("gone");
  EXPECT_TRUE(STENO_TRY_LOG_TO(logger, INFO, "one"));
  EXPECT_TRUE(session->stop().ok());
  EXPECT_FALSE(STENO_TRY_LOG_TO(logger, INFO, "two"));
  EXPECT_FALSE(STENO_TRY_LOGF_TO(logger, CRITICAL, "three"));
  EXPECT_EQ(read_log(path("other.steno")).rows.size(), 1u);
}

}  // namespace
}  // namespace steno_test
