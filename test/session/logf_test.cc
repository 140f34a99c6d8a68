// Formats that come at run time (steno/logf.h): what is logged is what vsnprintf prints.
#include <pthread.h>
#include <steno/logf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "../random_cases.h"
#include "../sanitizers.h"
#include "log_test.h"
#include "runtime/format_sites.h"

namespace steno_test {
namespace {

using steno::Level;
using steno::Origin;
using Random = std::mt19937_64;

class LogfTest : public LogTest {
 protected:
  LogfTest() { steno::set_most_formats(kMany); }
  static constexpr std::size_t kMany = 1'000'000;  // this process has many tests
};

std::string vformat(const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  std::string text(static_cast<std::size_t>(vsnprintf(nullptr, 0, format, arguments)) + 1, '\0');
  vsnprintf(text.data(), text.size(), format, again);
  va_end(again);
  text.pop_back();
  return text;
}

// Logs the message, and keeps what vsnprintf makes of it.
std::vector<std::string> expected_lines;
__attribute__((format(printf, 2, 3))) void both(Origin origin, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::va_list again;
  va_copy(again, arguments);
  steno::vlogf(origin, format, arguments);
  expected_lines.push_back(vformat(format, again));
  va_end(again);
  va_end(arguments);
}

TEST_F(LogfTest, TypesAreThoseOfTheFormat) {
  expected_lines.clear();
  ASSERT_TRUE(steno::start(path()));
  for (int round = 0; round < 2; ++round) {
    both(Level::kInfo, "plain");
    both(Level::kInfo, "100%%");
    both(Level::kInfo, "%d %u %x %o %c", -1, 4'000'000'000u, 255, 8, 'z');
    both(Level::kInfo, "%hhd %hd %hhu %hu", static_cast<signed char>(-3), static_cast<short>(-700),
         static_cast<unsigned char>(200), static_cast<unsigned short>(65535));
    both(Level::kInfo, "%ld %lu %lld %llx", -1L, 1UL << 63, -1LL << 63, ~0ULL);
    both(Level::kInfo, "%zu %zd %jd %td", sizeof(int), ssize_t{-4}, intmax_t{7}, ptrdiff_t{-9});
    both(Level::kInfo, "%f %.3e %g %a %Lf", 1.5, 1e300, 1e-5, 0.1, 2.5L);
    both(Level::kInfo, "%s|%10s|%-10s|%.2s|%.*s", "text", "right", "left", "cut", 3, "bounded");
    both(Level::kInfo, "%ls|%lc|%S", L"wide", static_cast<wint_t>(L'w'), L"upper");
    both(Level::kInfo, "%p %p", static_cast<void*>(&round), static_cast<void*>(nullptr));
    both(Level::kInfo, "%*d|%-*d|%.*f", 8, 42, 8, 42, 2, 3.14159);
    both(Level::kInfo, "%2$s is %1$d, %1$d is %2$s", 7, "seven");
    errno = ENOENT;
    both(Level::kInfo, "%m: %s", "/no/such/file");
    EXPECT_EQ(errno, ENOENT);
  }
  steno::stop();
  EXPECT_EQ(messages(read_log(path())), expected_lines);
}

TEST_F(LogfTest, AStringNeedNotEndAfterItsPrecision) {
  const std::vector<char> bytes(16, 'x');  // no terminator
  ASSERT_TRUE(steno::start(path()));
  steno::logf(Level::kInfo, "%.16s", bytes.data());
  steno::logf(Level::kInfo, "%.*s", 4, bytes.data());
  steno::stop();
  EXPECT_EQ(messages(read_log(path())), (std::vector<std::string>{std::string(16, 'x'), "xxxx"}));
}

// The compiler must not look at these.
void log_unchecked(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  steno::vlogf(Level::kWarn, format, arguments);
#pragma GCC diagnostic pop
  va_end(arguments);
}

TEST_F(LogfTest, WhatNoPrintfPrintsSafelyIsLoggedAsItStands) {
  const std::vector<std::string> formats = {"%n",        "%y",      "%",    "trailing %", "%hs",      "%2$d",
                                            "%1$d %1$s", "%1$d %d", "%l%",  "%99999d",    "%Ld%n%",   "%.99999f d",
                                            "%1$p %1$s", "%*n",     "%0$d", "%65$d",      "%*9999$d", "\xff\xfe%"};
  ASSERT_TRUE(steno::start(path()));
  for (int round = 0; round < 2; ++round) {
    for (const std::string& format : formats) log_unchecked(format.c_str());
    log_unchecked(nullptr);
  }
  steno::stop();
  std::vector<std::string> all = formats;
  all.emplace_back("(null)");
  all.insert(all.end(), formats.begin(), formats.end());
  all.emplace_back("(null)");
  std::vector<std::string> raw;
  const Log log = read_log(path());
  for (const Row& row : log.rows) raw.push_back(row.message);
  EXPECT_EQ(raw, all);
  EXPECT_EQ(log.rows.front().level, Level::kWarn);
}

TEST_F(LogfTest, AFormatIsKnownByItsText) {
  ASSERT_TRUE(steno::start(path()));
  char buffer[32];
  for (int i = 0; i < 6; ++i) {
    snprintf(buffer, sizeof buffer, i % 2 == 0 ? "even %%d" : "odd %%s");
    if (i % 2 == 0) {
      log_unchecked(buffer, i);
    } else {
      log_unchecked(buffer, std::to_string(i).c_str());
    }
  }
  steno::stop();
  auto reader = steno::LogReader::open({path()});
  ASSERT_TRUE(reader.ok());
  std::set<std::uint64_t> statements;
  std::vector<std::string> texts;
  reader->for_each({}, [&](const steno::Record& r) {
    statements.insert(r.site().id);
    texts.push_back(r.message());
  });
  EXPECT_EQ(texts, (std::vector<std::string>{"even 0", "odd 1", "even 2", "odd 3", "even 4", "odd 5"}));
  EXPECT_EQ(statements.size(), 2u);
}

TEST_F(LogfTest, SayWhereTheyComeFromAndObeyLevels) {
  ASSERT_TRUE(steno::start({.path = path(), .level = Level::kWarn}));
  const steno::Logger chatty = steno::logger("chatty", Level::kDebug);
  const unsigned line = __LINE__ + 1;
  steno::logf(Level::kError, "here %d", 1);
  steno::logf({Level::kError, "src/elsewhere.cc", 77, "serve"}, "there %d", 2);
  steno::logf(Level::kInfo, "not enabled");
  steno::logf(chatty, Level::kDebug, "of a logger %s", "x");
  steno::logf(chatty, Level::kTrace, "not enabled there");
  steno::set_level(Level::kInfo);
  steno::logf(Level::kInfo, "not enabled");
  steno::stop();
  const Log log = read_log(path());
  EXPECT_EQ(messages(log), (std::vector<std::string>{"here 1", "there 2", "of a logger x", "not enabled"}));
  ASSERT_EQ(log.rows.size(), 4u);
  EXPECT_NE(log.rows[0].file.find("logf_test.cc"), std::string::npos);
  EXPECT_EQ(log.rows[0].line, line);
  EXPECT_EQ(log.rows[1].file, "src/elsewhere.cc");
  EXPECT_EQ(log.rows[1].line, 77u);
  EXPECT_EQ(log.rows[2].logger, "chatty");
  EXPECT_EQ(log.rows[2].level, Level::kDebug);
}

TEST_F(LogfTest, OfMoreFormatsThanAllowedTheRestIsText) {
  in_process_of_its_own([this] {
    std::vector<std::string> warnings;
    steno::Options options;
    options.on_warning = [&](const std::string& what) { warnings.push_back(what); };
    ASSERT_TRUE(steno::start(path(), options));
    steno::set_most_formats(0);
    std::vector<std::string> wanted;
    for (int i = 0; i < 100; ++i) {
      const std::string format = "number " + std::to_string(i) + " of %d, %s" + std::string(i == 50 ? 3000 : 0, '.');
      log_unchecked(format.c_str(), 100, "or more");
      char text[4096];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      snprintf(text, sizeof text, format.c_str(), 100, "or more");
#pragma GCC diagnostic pop
      wanted.emplace_back(text);
    }
    log_unchecked("hostile %n");
    wanted.emplace_back("hostile %n");
    steno::stop();
    EXPECT_EQ(messages(read_log(path())), wanted);
    auto reader = steno::LogReader::open({path()});
    ASSERT_TRUE(reader.ok());
    std::set<std::uint64_t> statements;
    reader->for_each({}, [&](const steno::Record& r) {
      statements.insert(r.site().id);
      return true;
    });
    EXPECT_EQ(statements.size(), 1u);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("set_most_formats"), std::string::npos) << warnings[0];
  });
}

TEST_F(LogfTest, LongFormatsAreText) {
  const std::string format = std::string(5000, '-') + " %d";
  ASSERT_TRUE(steno::start(path()));
  log_unchecked(format.c_str(), 1);
  log_unchecked(format.c_str(), 2);
  steno::stop();
  EXPECT_EQ(messages(read_log(path())),
            (std::vector<std::string>{std::string(5000, '-') + " 1", std::string(5000, '-') + " 2"}));
}

TEST_F(LogfTest, LargeRecordsAndAnyThread) {
  const std::string large(100'000, 'L');
  ASSERT_TRUE(steno::start(path()));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        steno::logf(Level::kInfo, "thread %d says %d and %s", t, i, i % 50 == 0 ? large.c_str() : "little");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  steno::stop();
  std::multiset<std::string> wanted;
  for (int t = 0; t < 4; ++t) {
    for (int i = 0; i < 200; ++i) {
      wanted.insert("thread " + std::to_string(t) + " says " + std::to_string(i) + " and " +
                    (i % 50 == 0 ? large : "little"));
    }
  }
  const std::vector<std::string> all = messages(read_log(path()));
  EXPECT_EQ(std::multiset<std::string>(all.begin(), all.end()), wanted);
}

#if defined(__x86_64__) || defined(__aarch64__)
// A format of random fields, for up to five arguments in general registers and eight in floating-point ones: these
// calling conventions count the two apart, so that one call does for all formats.
struct RandomFormat {
  std::string text;
  std::string general;  // per argument: i an int, l a long, s a string, p a pointer
};

RandomFormat random_format(Random& random, int number) {
  RandomFormat format;
  format.text = "#" + std::to_string(number) + " ";
  int floats = 0;
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  for (unsigned fields = 1 + random() % 6; fields != 0; --fields) {
    static constexpr const char* kLiterals[] = {"", " ", ", ", "%%", "{}", "é", "text of some length "};
    format.text += kLiterals[random() % std::size(kLiterals)];
    const bool general = floats == 8 || (one_in(2) && format.general.size() < 5);
    if (general && format.general.size() == 5) continue;
    std::string spec = "%";
    for (const char flag : std::string("-+ #0")) {
      if (one_in(8)) spec += flag;
    }
    if (one_in(4)) {
      spec += std::to_string(1 + random() % 20);
    } else if (one_in(8) && format.general.size() < 4) {
      spec += '*';
      format.general += 'w';
    }
    if (!general) {
      format.text += spec + (one_in(4) ? "." + std::to_string(random() % 12) : "") + "feEgGaA"[random() % 7];
      ++floats;
      continue;
    }
    if (one_in(4)) spec += "." + std::to_string(random() % 12);
    switch (random() % 4) {
      case 0:
        format.text += spec + (one_in(4) ? "hh" : one_in(4) ? "h" : "") + "diuoxX"[random() % 6];
        format.general += 'i';
        break;
      case 1:
        format.text += spec + (one_in(2) ? "l" : one_in(2) ? "ll" : "z") + "diuoxX"[random() % 6];
        format.general += 'l';
        break;
      case 2:
        format.text += spec + 's';
        format.general += 's';
        break;
      default:
        format.text += spec + 'p';
        format.general += 'p';
        break;
    }
  }
  return format;
}

TEST_F(LogfTest, PrintsWhatTheCLibraryPrints) {
  const int batches = steno::test::random_cases(20);
  constexpr int kCalls = 50'000;
  Random random(20'260'607);
  std::vector<RandomFormat> formats;
  for (int i = 0; i < 1000; ++i) formats.push_back(random_format(random, i));
  const auto integer = [&] { return static_cast<long>(random() >> random() % 64) * (random() % 2 == 0 ? 1 : -1); };
  const auto real = [&] { return static_cast<double>(integer()) / static_cast<double>(1 + random() % 1000); };
  static constexpr const char* kTexts[] = {"",  "a",    "some words", "a text that is longer than fields are",
                                           "é", nullptr};
  for (int batch = 0; batch < batches; ++batch) {
    expected_lines.clear();
    ASSERT_TRUE(steno::start(path(std::to_string(batch))));
    for (int call = 0; call < kCalls; ++call) {
      const RandomFormat& format = formats[random() % formats.size()];
      long g[5] = {};
      for (std::size_t i = 0; i < format.general.size(); ++i) {
        switch (format.general[i]) {
          case 'w':
            g[i] = static_cast<long>(random() % 40) - 20;
            break;
          case 's':
            g[i] = reinterpret_cast<long>(kTexts[random() % std::size(kTexts)]);
            break;
          default:
            g[i] = integer();
            break;
        }
      }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
      both(Level::kInfo, format.text.c_str(), g[0], g[1], g[2], g[3], g[4], real(), real(), real(), real(), real(),
           real(), real(), real());
#pragma GCC diagnostic pop
    }
    steno::stop();
    const Log log = read_log(path(std::to_string(batch)));
    ASSERT_EQ(log.rows.size(), expected_lines.size());
    for (std::size_t i = 0; i < expected_lines.size(); ++i) ASSERT_EQ(log.rows[i].message, expected_lines[i]);
    std::filesystem::remove(path(std::to_string(batch)));
  }
}
#endif

// Staging's dictionary is extended by a system call that is a cancellation point.
TEST_F(LogfTest, ACancelledThreadCompletesACallWithANewFormat) {
  if (steno::test::kThreadSanitizer) GTEST_SKIP() << "it loses track of threads that are cancelled";
  ASSERT_TRUE(steno::start(path()));
  bool cancelled = true;
  std::thread([&cancelled] {
    steno::logf(Level::kInfo, "not yet");
    pthread_cancel(pthread_self());
    steno::logf(Level::kInfo, "new to a cancelled thread: %d", 1);
    pthread_testcancel();
    cancelled = false;
  }).join();
  EXPECT_TRUE(cancelled);
  steno::stop();
  EXPECT_EQ(messages(read_log(path())), (std::vector<std::string>{"not yet", "new to a cancelled thread: 1"}));
}

// A fork waits until no thread is between two steps of making a format or a statement: the child, which does not have
// that thread, goes on with both.
TEST_F(LogfTest, AForkMeetsNoHalfMadeFormat) {
  if (steno::test::kThreadSanitizer || steno::test::kAddressSanitizer)
    GTEST_SKIP() << "their allocators hang in such children";
  const auto meet = [](const std::string& who, int i) {
    const std::string format = who + " met " + std::to_string(i) + " %d";
    return &steno::runtime::find_format_site({Level::kInfo, "fork.cc", 1, "meet"}, format.c_str(), false);
  };
  std::atomic<bool> ends{false};
  std::atomic<int> met{0};  // of the first thread's, all below are
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20'000 && !ends; ++i) {
        meet("thread " + std::to_string(t), i);
        if (t == 0) met = i + 1;
        if (i % 64 == 63) std::this_thread::yield();  // or a fork waits long for its turn
      }
    });
  }
  for (int k = 0; k < 200; ++k) {
    const int known = met;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);
      for (int i = known > 100 ? known - 100 : 0; i < known; ++i) {
        if (meet("thread 0", i)->format != "thread 0 met " + std::to_string(i) + " %d") _exit(1);
      }
      for (int i = 0; i < 100; ++i) meet("child", i);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "fork " << k;
    if (HasFailure()) break;
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace steno_test
