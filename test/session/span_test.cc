// Spans: what begins, ends; durations, numbers and parents, against the test's own bookkeeping.
#include <steno/context.h>
#include <steno/span.h>
#include <unistd.h>

#include <atomic>
#if defined(__cpp_impl_coroutine)
#include <coroutine>
#endif
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "log_test.h"

namespace steno_test {
namespace {

using Messages = std::vector<std::string>;

std::atomic<std::uint64_t> now_ns;
std::uint64_t spans_clock() {
  return now_ns += 7;
}

struct Entry {
  std::string message;
  std::string logger;
  std::int64_t time_ns = 0;
  std::uint64_t tid = 0;
  std::map<std::string, std::string> values;

  const std::string& span() const { return values.at("span"); }
  const std::string& parent() const { return values.at("parent"); }
  bool is_end() const { return values.count("duration") != 0; }
};

class SpanTest : public LogTest {
 protected:
  static std::vector<Entry> entries_of(const std::string& path) {
    std::vector<Entry> entries;
    auto reader = steno::LogReader::open({path});
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    if (!reader.ok()) return entries;
    reader->for_each({}, [&](const steno::Record& record) {
      Entry& entry = entries.emplace_back();
      entry.message = record.message();
      entry.logger = record.logger();
      entry.time_ns = record.time_ns();
      entry.tid = record.thread_id();
      for (std::size_t i = 0; i < record.argument_count(); ++i)
        record.argument(i).append_text(&entry.values[std::string(record.argument(i).name())]);
    });
    for (const auto& loss : reader->losses()) ADD_FAILURE() << loss.text;
    return entries;
  }
  std::vector<Entry> finish_entries() {
    steno::stop();
    return entries_of(path());
  }
  // Durations left out.
  static std::vector<std::string> messages(const std::vector<Entry>& entries) {
    std::vector<std::string> all;
    for (const Entry& entry : entries) {
      const std::size_t end = entry.message.find(": end, ");
      all.push_back(entry.is_end() ? entry.message.substr(0, end + 5) : entry.message);
    }
    return all;
  }

  void start_counting() {
    now_ns = 1'700'000'000'000'000'000;
    start({.clock = steno::Clock::kUser, .user_clock = spans_clock});
  }
};

TEST_F(SpanTest, NestsAndSaysHowLongItTook) {
  start_counting();
  {
    STENO_SPAN("outer {level} of {name}", 3, std::string("db"));
    STENO_INFO("inside");
    { STENO_SPAN("inner"); }
    STENO_SPAN_AT(WARN, "second {}", 2.5);
  }
  const std::vector<Entry> all = finish_entries();
  ASSERT_EQ(messages(all), (Messages{"outer 3 of db: begin", "inside", "inner: begin", "inner: end",
                                     "second 2.5: begin", "second 2.5: end", "outer 3 of db: end"}));
  EXPECT_EQ(all[0].parent(), "0");
  EXPECT_EQ(all[2].parent(), all[0].span());
  EXPECT_EQ(all[4].parent(), all[0].span());
  for (const auto& [begin, end] : {std::pair{0, 6}, {2, 3}, {4, 5}}) {
    EXPECT_EQ(all[begin].span(), all[end].span());
    EXPECT_EQ(all[begin].parent(), all[end].parent());
    EXPECT_EQ(all[end].values.at("duration"), std::to_string(all[end].time_ns - all[begin].time_ns));
  }
  EXPECT_EQ(all[6].values.at("level"), "3");
  EXPECT_EQ(all[6].values.at("name"), "db");
  EXPECT_EQ(all[6].message, "outer 3 of db: end, " + all[6].values.at("duration") + " ns");
}

TEST_F(SpanTest, EndsByReturnAndByException) {
  start();
  const auto leave = [](int how) {
    STENO_SPAN("leaves {how}", how);
    if (how == 1) return;
    if (how == 2) throw std::runtime_error("thrown");
    STENO_INFO("to the end");
  };
  leave(0);
  leave(1);
  EXPECT_THROW(leave(2), std::runtime_error);
  EXPECT_EQ(messages(finish_entries()), (Messages{"leaves 0: begin", "to the end", "leaves 0: end", "leaves 1: begin",
                                                  "leaves 1: end", "leaves 2: begin", "leaves 2: end"}));
}

TEST_F(SpanTest, WhatBeganEndsAndWhatDidNotDoesNot) {
  start();
  int evaluated = 0;
  steno::Logger net = steno::logger("net");
  {
    STENO_SPAN("default {}", ++evaluated);
    STENO_SPAN_TO(net, INFO, "logger {}", ++evaluated);
    steno::set_level(steno::Level::kError);
    net.set_level(steno::Level::kError);
    STENO_SPAN("disabled {}", ++evaluated);
    STENO_SPAN_TO(net, INFO, "disabled {}", ++evaluated);
    STENO_SPAN_AT(ERROR, "inner");
    steno::set_level(steno::Level::kTrace);
    net.set_level(steno::Level::kTrace);
  }
  EXPECT_EQ(evaluated, 2);
  const std::vector<Entry> all = finish_entries();
  ASSERT_EQ(messages(all), (Messages{"default 1: begin", "logger 2: begin", "inner: begin", "inner: end",
                                     "logger 2: end", "default 1: end"}));
  EXPECT_EQ(all[2].parent(), all[1].span());
  EXPECT_EQ(all[1].logger, "net");
  EXPECT_EQ(all[4].logger, "net");
}

TEST_F(SpanTest, EndsNowhereWhereItsSessionHasEnded) {
  start();
  auto session = steno::Session::open(path("other.steno"));
  ASSERT_TRUE(session.ok()) << session.status().message();
  {
    STENO_SPAN_TO(session->logger("gone"), INFO, "begins");
    EXPECT_TRUE(session->stop().ok());
    STENO_SPAN("inner");
  }
  { STENO_SPAN("after"); }
  const std::vector<Entry> other = entries_of(path("other.steno"));
  ASSERT_EQ(messages(other), (Messages{"begins: begin"}));
  const std::vector<Entry> all = finish_entries();
  ASSERT_EQ(messages(all), (Messages{"inner: begin", "inner: end", "after: begin", "after: end"}));
  EXPECT_EQ(all[0].parent(), other[0].span());
  EXPECT_EQ(all[2].parent(), "0");
}

#if defined(__cpp_impl_coroutine)
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};
struct Ready {
  bool await_ready() { return true; }
  void await_suspend(std::coroutine_handle<>) {}
  int await_resume() { return 42; }
};

// Clang 14 cannot check the type of a coroutine where each function has a section of its own (-fsanitize=function).
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
Task work(steno::Logger logger, const std::string& text) {
  STENO_SPAN("work {} {}", co_await Ready{}, text);
  STENO_SPAN_TO(logger, INFO, "to {}", co_await Ready{});
  STENO_SPAN_AT(TRACE, "disabled {}", co_await Ready{});
  STENO_INFO("{}", co_await Ready{});
  co_return;
}

// GCC 12 copies an object with a co_await among its arguments, and destroys it twice.
TEST_F(SpanTest, OfACoroutineEndsOnce) {
  start();
  steno::set_level(steno::Level::kInfo);
  work(steno::logger("l"), "text");
  EXPECT_EQ(messages(finish_entries()),
            (Messages{"work 42 text: begin", "to 42: begin", "42", "to 42: end", "work 42 text: end"}));
}
#endif

TEST_F(SpanTest, KeepsItsArguments) {
  start();
  const std::string quite_long(600, 'x');
  const char* none = nullptr;
  {
    std::string changes = "before";
    STENO_SPAN("{s} {i} {c} {none} {wide} {real} {flag}", changes, std::int8_t{-3}, 'c', none, L"wide", 1.25L, true);
    changes = "after";
    STENO_SPAN("{a} {b} {c}", quite_long, 7, "short");
  }
  const std::vector<Entry> all = finish_entries();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].message, "before -3 c (null) wide 1.25 true: begin");
  EXPECT_EQ(all[3].message.substr(0, all[3].message.find(": end")), "before -3 c (null) wide 1.25 true");
  for (const int i : {1, 2}) {
    const std::string& a = all[i].values.at("a");
    const std::size_t kept = a.find("…");
    ASSERT_NE(kept, std::string::npos) << a;
    EXPECT_GT(kept, 300u);
    EXPECT_EQ(a.substr(kept), "…[+" + std::to_string(600 - kept) + " bytes]");
    EXPECT_EQ(all[i].values.at("b"), "7");
    EXPECT_EQ(all[i].values.at("c"), "short");
  }
}

TEST_F(SpanTest, HasTheContextOfItsRecords) {
  start();
  {
    const steno::ScopedContext request{"request_id", 7};
    STENO_SPAN("serves {path}", "/index");
  }
  const std::vector<Entry> all = finish_entries();
  ASSERT_EQ(messages(all), (Messages{"serves /index: begin", "serves /index: end"}));
  for (const Entry& entry : all) {
    EXPECT_EQ(entry.values.at("request_id"), "7");
    EXPECT_EQ(entry.values.at("path"), "/index");
    EXPECT_EQ(entry.values.at("parent"), "0");
  }
}

// A tree of spans by chance; says what should be in the log, in order.
void grow(std::mt19937& random, int depth, Messages* expected, int* count) {
  const int number = (*count)++;
  const std::string text(random() % 40, 'n');
  const std::string name = std::to_string(number) + " [" + text + "] at " + std::to_string(depth);
  STENO_SPAN("{number} [{text}] at {depth}", number, text, depth);
  expected->push_back(name + ": begin");
  for (unsigned children = depth < 6 ? random() % 4 : 0; children > 0; --children)
    grow(random, depth + 1, expected, count);
  expected->push_back(name + ": end");
}

// Programs that read columns compare unsigned numbers with signed ones.
TEST_F(SpanTest, NumbersAreBelow2To63) {
  in_process_of_its_own([this] {
    start();
    for (int t = 0; t < 64; ++t) {  // each thread begins anywhere
      std::thread([] { STENO_SPAN("one"); }).join();
    }
    std::set<std::uint64_t> numbers;
    for (const Entry& entry : finish_entries()) numbers.insert(std::stoull(entry.span()));
    EXPECT_EQ(numbers.size(), 64u);
    EXPECT_GT(*numbers.begin(), 0u);
    EXPECT_LT(*numbers.rbegin(), std::uint64_t{1} << 63);
  });
}

TEST_F(SpanTest, AgreesWithATreeOfItsOwnInManyThreads) {
  in_process_of_its_own([this] {
    start({.ring_bytes = 1 << 16});
    constexpr int kThreads = 4;
    std::vector<Messages> expected(kThreads);
    std::vector<std::uint64_t> tids(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        tids[t] = static_cast<std::uint64_t>(::gettid());
        std::mt19937 random(static_cast<unsigned>(t));
        int count = 0;
        while (count < 1500) grow(random, 0, &expected[t], &count);
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::map<std::uint64_t, std::vector<Entry>> found;
    for (Entry& entry : finish_entries()) found[entry.tid].push_back(std::move(entry));
    std::set<std::string> numbers;
    for (int t = 0; t < kThreads; ++t) {
      const std::vector<Entry>& mine = found[tids[t]];
      ASSERT_EQ(messages(mine), expected[t]);
      std::vector<std::string> open = {"0"};
      for (const Entry& entry : mine) {
        if (entry.is_end()) {
          EXPECT_EQ(open.back(), entry.span());
          open.pop_back();
        } else {
          EXPECT_TRUE(numbers.insert(entry.span()).second);
        }
        ASSERT_EQ(entry.parent(), open.back());
        if (!entry.is_end()) open.push_back(entry.span());
      }
      EXPECT_EQ(open.size(), 1u);
    }
  });
}

TEST_F(SpanTest, FullRingsDropEitherRecord) {
  in_process_of_its_own([this] {
    start({.ring_bytes = 4096, .when_full = steno::WhenFull::kDrop, .scribe_thread = false});
    for (int i = 0; i < 1000; ++i) {
      STENO_SPAN("span {i}", i);
      if (i % 10 == 9) steno::poll();
    }
    steno::stop();
    std::uint64_t logged = 0;
    std::uint64_t dropped = 0;
    for (const Row& row : read_log(path()).rows) {
      const bool report = row.message.find("records dropped") != std::string::npos;
      (report ? dropped : logged) += report ? std::stoull(row.message) : 1;
    }
    EXPECT_EQ(logged + dropped, 2000u);
  });
}

TEST_F(SpanTest, IsSeenToHaveBegunWhereItsProcessDied) {
  in_child_that_leaves([this] {
    if (!steno::try_start({.path = path()}).ok()) std::_Exit(1);
    STENO_SPAN("dies in {place}", "here");
    { STENO_SPAN("ends"); }
    std::_Exit(0);
  });
  std::vector<std::string> seen;
  for (const Row& row : read_log(path()).rows) seen.push_back(row.message.substr(0, row.message.find(", ")));
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0], "dies in here: begin");
  EXPECT_EQ(seen[1], "ends: begin");
  EXPECT_EQ(seen[2], "ends: end");
  EXPECT_NE(seen[3].find("died"), std::string::npos);
}

TEST_F(SpanTest, AForkedChildHasOtherNumbers) {
  start();
  { STENO_SPAN("before"); }
  steno::stop();
  in_child_that_leaves([this] {
    if (!steno::try_start({.path = path("child.steno")}).ok()) std::_Exit(1);
    { STENO_SPAN("child"); }
    steno::stop();
  });
  start();
  { STENO_SPAN("parent"); }
  const std::vector<Entry> parent = finish_entries();
  const std::vector<Entry> child = entries_of(path("child.steno"));
  ASSERT_EQ(parent.size(), 4u);
  ASSERT_EQ(child.size(), 2u);
  EXPECT_NE(parent[2].span(), child[0].span());
}

}  // namespace
}  // namespace steno_test
