// Context: what records have besides their arguments, from the scope to the reader.
#include <steno/context.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "log_test.h"

#ifdef __cpp_impl_coroutine  // Clang before 17 has coroutines of its own
#include <coroutine>
#endif

namespace steno_test {
namespace {

using steno::Context;
using steno::ScopedContext;

// Threads that run what they are given. Its end waits for all of it.
class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  void run(std::function<void()> task) {
    {
      const std::scoped_lock lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  // guarded by mutex_
  bool ends_ = false;                        // guarded by mutex_
  std::vector<std::thread> threads_;
};

#ifdef __cpp_impl_coroutine
// A coroutine that begins at once and whose frame goes when it ends.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

// Goes on in a thread of the pool.
struct ResumeIn {
  Pool& pool;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> coroutine) { pool.run(coroutine); }
  void await_resume() {}
};
#endif

class ContextTest : public LogTest {
 protected:
  // Returns each record's message, then " name=value" for each argument and field.
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
  in_process_of_its_own([this] {
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
  });
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
  const ScopedContext of_optionals{"?0", false};  // what says that an argument is absent
  const ScopedContext of_variants{"|0,1", std::uint8_t{1}};
  const ScopedContext fits{"fits", std::string(900, 'y')};
  const ScopedContext last{"last", std::string(100, 'z')};
  const ScopedContext small{"small", 3};
  STENO_INFO("message {}", 7);
  EXPECT_EQ(finish_lines(), (Lines{"message 7 0=7 fits=" + std::string(900, 'y') + " small=3"}));
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

TEST_F(ContextTest, IsCarriedToThreadsOfAPool) {
  constexpr int kRequests = 200;
  start();
  {
    Pool pool(3);
    for (int i = 0; i < kRequests; ++i) {
      const std::string user = "user " + std::to_string(i);
      const ScopedContext request{"request", i};
      const ScopedContext who{"user", user};
      pool.run([i, here = Context::capture(), &pool] {
        {
          const ScopedContext carried{here};
          STENO_INFO("first {i}", i);
          pool.run([i, further = Context::capture()] {
            const ScopedContext carried_further{further};
            STENO_INFO("second {i}", i);
          });
        }
        STENO_INFO("after");
      });
    }
  }
  int carried = 0;
  int after = 0;
  for (const std::string& line : finish_lines()) {
    int i = 0;
    if (line == "after") {
      ++after;
    } else if (std::sscanf(line.c_str(), "%*s %d", &i) == 1) {
      ++carried;
      const std::string n = std::to_string(i);
      EXPECT_EQ(line.substr(line.find(' ')), " " + n + " i=" + n + " request=" + n + " user=user " + n);
    } else {
      ADD_FAILURE() << line;
    }
  }
  EXPECT_EQ(carried, 2 * kRequests);
  EXPECT_EQ(after, kRequests);
}

TEST_F(ContextTest, TakesTheInnermostAndOwnsIt) {
  start();
  std::optional<Context> captured;
  {
    std::string name = "id";  // as of code that makes names while it runs
    const ScopedContext outer{name.c_str(), 1};
    const ScopedContext user{"user", std::string("ann")};
    const char* none = nullptr;
    const ScopedContext null{"null", none};
    const ScopedContext real{"real", 0.5};
    const ScopedContext inner{name.c_str(), 2};
    captured.emplace(Context::capture());
    name = "xx";
  }
  STENO_INFO("gone");
  Context copy = *captured;
  captured.reset();
  std::thread([moved = std::move(copy)] {
    const ScopedContext own{"user", "worker"};
    const ScopedContext other{"worker", true};
    {
      const ScopedContext carried{moved};
      STENO_INFO("carried");
      const ScopedContext nested{"real", 1.5};
      STENO_INFO("nested");
    }
    STENO_INFO("restored");
  }).join();
  EXPECT_EQ(finish_lines(),
            (Lines{"gone", "carried worker=true user=ann null=(null) real=0.5 id=2",
                   "nested worker=true user=ann null=(null) id=2 real=1.5", "restored user=worker worker=true"}));
}

TEST_F(ContextTest, AnEmptyCaptureSetsNothing) {
  start();
  EXPECT_TRUE(Context().empty());
  std::thread([] { EXPECT_TRUE(Context::capture().empty()) << "in a thread that has not logged"; }).join();
  const Context here = Context::capture();
  EXPECT_TRUE(here.empty());
  const ScopedContext id{"id", 1};
  EXPECT_FALSE(Context::capture().empty());
  {
    const ScopedContext carried{here};
    STENO_INFO("inside");
    const ScopedContext nested{"more", 2};
    STENO_INFO("nested");
  }
  STENO_INFO("after");
  EXPECT_EQ(finish_lines(), (Lines{"inside id=1", "nested id=1 more=2", "after id=1"}));
}

TEST_F(ContextTest, OfWhatIsCarriedTheFirstFit) {
  start();
  Context full;
  {
    const ScopedContext small{"small", 1};
    const ScopedContext large{"large", std::string(900, 'x')};
    full = Context::capture();
  }
  const ScopedContext mine{"mine", std::string(200, 'y')};
  {
    const ScopedContext carried{full};
    STENO_INFO("message");
  }
  STENO_INFO("after");
  const std::string own = " mine=" + std::string(200, 'y');
  EXPECT_EQ(finish_lines(), (Lines{"message" + own + " small=1", "after" + own}));
}

TEST_F(ContextTest, IsCapturedInAForkedChild) {
  const ScopedContext id{"id", 1};
  in_child_that_leaves([this] {
    const Context here = Context::capture();  // before the child has logged
    if (here.empty() || !steno::try_start({.path = path()}).ok()) std::_Exit(1);
    std::thread([&here] {
      const ScopedContext carried{here};
      STENO_INFO("child");
    }).join();
    steno::stop();
  });
  EXPECT_EQ(lines(), Lines{"child id=1"});
}

#ifdef __cpp_impl_coroutine
TEST_F(ContextTest, IsCarriedByCoroutines) {
  constexpr int kCoroutines = 100;
  constexpr int kSteps = 4;
  const auto serve = [](int id, Pool& pool) -> Detached {
    Context here;
    {
      const ScopedContext request{"request", id};
      here = Context::capture();
    }
    for (int step = 0; step < kSteps; ++step) {
      {
        const ScopedContext carried{here};
        STENO_INFO("step {step} of {id}", step, id);
      }
      co_await ResumeIn{pool};
    }
    STENO_INFO("end");
  };
  start();
  {
    Pool pool(3);
    for (int id = 0; id < kCoroutines; ++id) serve(id, pool);
  }
  int steps = 0;
  int ends = 0;
  for (const std::string& line : finish_lines()) {
    int id = 0;
    int request = 0;
    if (line == "end") {
      ++ends;
    } else {
      ++steps;
      ASSERT_EQ(std::sscanf(line.c_str(), "step %*d of %*d step=%*d id=%d request=%d", &id, &request), 2) << line;
      EXPECT_EQ(id, request) << line;
    }
  }
  EXPECT_EQ(steps, kCoroutines * kSteps);
  EXPECT_EQ(ends, kCoroutines);
}
#endif

}  // namespace
}  // namespace steno_test
