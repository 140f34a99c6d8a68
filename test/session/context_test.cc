// Context: what records have besides their arguments, from the scope to the reader.
#include <steno/context.h>
#include <unistd.h>

#include <thread>

#include "log_test.h"

namespace steno_test {
namespace {

using steno::ScopedContext;

class ContextTest : public LogTest {
 protected:
  // Of each record its message, then " name=value" for each argument and field.
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    auto reader = steno::LogReader::open({path()});
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    if (!reader.ok()) return lines;
    reader->for_each({}, [&](const steno::Record& record) {
      std::string line(record.message());
      for (std::size_t i = 0; i < record.argument_count(); ++i) {
        line += " " + std::string(record.argument(i).name()) + "=";
        record.argument(i).append_text(&line);
      }
      lines.push_back(line);
    });
    for (const auto& loss : reader->losses()) lines.push_back("loss: " + loss.text);
    return lines;
  }
  std::vector<std::string> finish_lines() {
    steno::stop();
    return lines();
  }
  using Lines = std::vector<std::string>;
};

TEST_F(ContextTest, ScopesNestAndHide) {
  start();
  STENO_INFO("none");
  {
    const ScopedContext request{"request_id", std::uint64_t{7}};
    STENO_INFO("one {n}", 1);
    {
      const ScopedContext user{"user", "ann"};
      STENO_INFO("two {s}", "text");
      const ScopedContext other{"request_id", std::uint64_t{8}};
      STENO_INFO("hidden");
    }
    STENO_INFO("back {n}", 5);
  }
  STENO_INFO("none again");
  EXPECT_EQ(finish_lines(), (Lines{"none", "one 1 n=1 request_id=7", "two text s=text request_id=7 user=ann",
                                   "hidden user=ann request_id=8", "back 5 n=5 request_id=7", "none again"}));
}

TEST_F(ContextTest, AllTypesAndManyBlocks) {
  start({.ring_bytes = 1 << 16});
  std::size_t expected = 0;
  for (int i = 0; i < 300; ++i) {
    const ScopedContext id{"id", i};
    const ScopedContext real{"real", i + 0.5};
    const ScopedContext flag{"flag", i % 2 == 0};
    const ScopedContext text{"text", std::string(static_cast<std::size_t>(i % 7), 'x')};
    const char* none = nullptr;
    const ScopedContext null{"null", none};
    for (int k = 0; k < 20; ++k, ++expected)
      STENO_INFO("number {k} of {name}", k, std::string(static_cast<std::size_t>(k % 5), 'n'));
    if (i % 50 != 49) continue;
    EXPECT_TRUE(steno::flush().ok());
  }
  const Lines found = finish_lines();
  ASSERT_EQ(found.size(), expected);
  for (std::size_t n = 0; n < found.size(); ++n) {
    const std::size_t i = n / 20;
    const std::size_t k = n % 20;
    const std::string name(k % 5, 'n');
    ASSERT_EQ(found[n], "number " + std::to_string(k) + " of " + name + " k=" + std::to_string(k) + " name=" + name +
                            " id=" + std::to_string(i) + " real=" + std::to_string(i) + ".5 flag=" +
                            (i % 2 == 0 ? "true" : "false") + " text=" + std::string(i % 7, 'x') + " null=(null)");
  }
}

TEST_F(ContextTest, IsOfItsThreadAndEndsWithIt) {
  start();
  const ScopedContext mine{"mine", 1};
  std::thread([] {
    STENO_INFO("other");
    const ScopedContext theirs{"theirs", 2};
    STENO_INFO("other in context");
  }).join();
  std::thread([] { STENO_INFO("third"); }).join();  // has the ring of the one before
  STENO_INFO("main");
  steno::set_thread_name("renamed");
  STENO_INFO("main");
  EXPECT_EQ(finish_lines(), (Lines{"other", "other in context theirs=2", "third", "main mine=1", "main mine=1"}));
}

TEST_F(ContextTest, GoesOnInTheNextSession) {
  start();
  const ScopedContext id{"id", 1};
  STENO_INFO("first");
  steno::stop();
  STENO_INFO("between");
  start();
  STENO_INFO("second");
  EXPECT_EQ(finish_lines(), (Lines{"first id=1", "between id=1", "second id=1"}));
}

TEST_F(ContextTest, FullRingsDropRecordsButNoContext) {
  in_child_that_leaves([this] {  // where rings are new, and so small
    if (!steno::try_start(
             {.path = path(), .ring_bytes = 4096, .when_full = steno::WhenFull::kDrop, .scribe_thread = false})
             .ok()) {
      std::_Exit(1);
    }
    for (int i = 0; i < 2000; ++i) {
      const ScopedContext id{"id", i};
      for (int k = 0; k < 3; ++k) STENO_INFO("of {i}", i);
      if (i % 100 == 99) steno::poll();
    }
    steno::stop();
  });
  std::size_t drops = 0;
  std::size_t kept = 0;
  for (const std::string& line : lines()) {
    int i = 0;
    int id = 0;
    if (line.find("dropped") != std::string::npos) {
      ++drops;
    } else {
      ++kept;
      ASSERT_EQ(std::sscanf(line.c_str(), "of %d i=%*d id=%d", &i, &id), 2) << line;
      ASSERT_EQ(i, id) << line;
    }
  }
  EXPECT_GT(drops, 0u);
  EXPECT_GT(kept, 100u);
}

TEST_F(ContextTest, WhatFindsNoRoomIsLeftOut) {
  start();
  const ScopedContext large{"large", std::string(2000, 'x')};
  const ScopedContext nameless{"", 1};
  const ScopedContext fits{"fits", std::string(900, 'y')};
  const ScopedContext last{"last", std::string(100, 'z')};
  const ScopedContext small{"small", 3};
  STENO_INFO("message");
  EXPECT_EQ(finish_lines(), (Lines{"message fits=" + std::string(900, 'y') + " small=3"}));
}

// The record that set it is released and gone when the process dies.
TEST_F(ContextTest, SurvivesTheProcess) {
  const auto die_in_context = [this](bool released) {
    in_child_that_leaves([&] {
      if (!steno::try_start({.path = path()}).ok()) std::_Exit(1);
      const ScopedContext id{"id", released ? 1 : 2};
      STENO_INFO("before");
      if (released && !steno::flush().ok()) std::_Exit(1);
      STENO_INFO("after");
      std::_Exit(0);
    });
  };
  die_in_context(true);
  Lines expected = {"before id=1", "after id=1"};
  const auto without_death = [this] {
    Lines found = lines();
    std::erase_if(found, [](const std::string& line) { return line.find("died at") != std::string::npos; });
    return found;
  };
  EXPECT_EQ(without_death(), expected) << "read from what is left";
  die_in_context(false);  // recovers the first
  expected.insert(expected.end(), {"before id=2", "after id=2"});
  EXPECT_EQ(without_death(), expected);
}

TEST_F(ContextTest, GoesOnInAForkedChild) {
  const ScopedContext id{"id", 1};
  in_child_that_leaves([this] {
    if (!steno::try_start({.path = path()}).ok()) std::_Exit(1);
    STENO_INFO("child");
    steno::stop();
  });
  EXPECT_EQ(lines(), Lines{"child id=1"});
}

}  // namespace
}  // namespace steno_test
