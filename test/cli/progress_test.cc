// Progress: who counts for it, and what a terminal sees of it.
#include "output/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "output/printing.h"
#include "query/statistics/aggregate.h"
#include "query/statistics/diff.h"
#include "query/statistics/pair.h"
#include "query/statistics/site_times.h"
#include "reader/losses.h"
#include "reader/statistics.h"

namespace steno::cli {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

constexpr std::uint64_t kT = FileBuilder::kStart;
constexpr std::uint64_t kRecords = 3000;

std::string sample(std::uint64_t records = kRecords) {
  FileBuilder b;
  b.session().thread(0, 1, "main").site(16, Level::kInfo, "sent {id}", "m").site(17, Level::kWarn, "acked {id}", "m");
  for (std::uint64_t i = 0; i < records; ++i) {
    b.log(0, 16 + i % 2, kT + i * 1000, Args().u64(i / 2));
    if (i % 1000 == 999) b.flush();
  }
  return b.end().bytes();
}

TEST(Progress, Text) {
  EXPECT_EQ(progress_text(12'300'000, 28'000'000, 9), "steno: 44 %  12.3 M of 28 M records  ETA 11 s");
  EXPECT_EQ(progress_text(430, 1000, 1), "steno: 43 %  430 of 1 k records  ETA 1 s");
  EXPECT_EQ(progress_text(999'600, 1'234'000'000, 1), "steno: 0 %  1 M of 1.23 G records  ETA 21 min");
  EXPECT_EQ(progress_text(2000, 1000, 1), "steno: 100 %  1 k of 1 k records  ETA 0 s");
  EXPECT_EQ(progress_text(1, 100'000, 1), "steno: 0 %  1 of 100 k records  ETA 28 h");
  EXPECT_EQ(progress_text(0, 1000, 1), "");
  EXPECT_EQ(progress_text(5, 0, 1), "");
}

// All that takes long counts, to the end.
TEST(Progress, EverybodyCounts) {
  const TempFile file(sample());
  reader::LogSet logs;
  WorkMeter opening;
  logs.count_on(&opening);
  ASSERT_TRUE(logs.add(file.path()).ok());
  EXPECT_NE(opening.total(), 0u);
  EXPECT_EQ(opening.total(), logs.files()[0]->size());
  EXPECT_EQ(opening.done(), round_up(opening.total(), 8));
  logs.count_on(nullptr);
  const auto expect = [](const char* what, std::uint64_t passes, const auto& work) {
    WorkMeter meter;
    work(&meter);
    EXPECT_EQ(meter.total(), passes * kRecords) << what;
    EXPECT_EQ(meter.done(), meter.total()) << what;
  };
  expect("stat", 1, [&](WorkMeter* meter) { reader::collect_statistics(*logs.files()[0], meter); });
  expect("times", 2, [&](WorkMeter* meter) { query::find_site_times(*logs.files()[0], meter); });
  expect("verify", 2, [&](WorkMeter* meter) {
    reader::LossOptions options;
    options.content = true;
    options.meter = meter;
    reader::find_losses(*logs.files()[0], options);
  });
  const auto subject_of = [&logs](WorkMeter* meter) {
    query::Subject subject;
    subject.logs = &logs;
    subject.meter = meter;
    return subject;
  };
  expect("agg", 1, [&](WorkMeter* meter) {
    query::Question question;
    question.subject = subject_of(meter);
    question.operations = *query::parse_operations({"count"});
    EXPECT_TRUE(query::aggregate(question).ok());
  });
  expect("diff", 4, [&](WorkMeter* meter) { query::diff_logs(subject_of(meter), subject_of(meter), {}); });
  expect("cat", 1, [&](WorkMeter* meter) {
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    Output output(null);
    const PrintOptions options;
    Printing(
        logs, options, [] { return make_json_format({}); }, nullptr, &output, meter)
        .run();
    ::close(null);
  });
  WorkMeter meter;
  query::PairQuestion question;
  question.subject = subject_of(&meter);
  question.first = *query::find_statement(logs, "sent");
  question.second = *query::find_statement(logs, "acked");
  question.keys = {{query::Field::kArgument, *query::find_argument(question.first, "id"),
                    *query::find_argument(question.second, "id"), "id"}};
  EXPECT_TRUE(query::pair_records(question).ok());
  EXPECT_GE(meter.total(), kRecords);
  EXPECT_EQ(meter.done(), meter.total());
}

// A terminal that is standard error of a child. It collects the output until the child ends or `enough` holds.
class Terminal {
 public:
  template <class F>
  explicit Terminal(F child) {
    int slave = -1;
    EXPECT_EQ(::openpty(&fd_, &slave, nullptr, nullptr, nullptr), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(slave, STDERR_FILENO);
      child();
      std::_Exit(1);
    }
    ::close(slave);
  }
  ~Terminal() { ::close(fd_); }

  bool read_until(const std::string& part) {
    while (text_.find(part) == std::string::npos && read_more()) {
    }
    return text_.find(part) != std::string::npos;
  }
  // Its exit status.
  int finish() {
    while (read_more()) {
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  const std::string& text() const { return text_; }

 private:
  bool read_more() {
    char bytes[4096];
    const ssize_t n = ::read(fd_, bytes, sizeof bytes);
    if (n > 0) text_.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }

  int fd_ = -1;
  pid_t pid_ = -1;
  std::string text_;
};

TEST(Progress, ShowsAndErasesItself) {
  int go[2];
  ASSERT_EQ(::pipe(go), 0);
  Terminal terminal([&go] {
    {
      Progress progress(false, "records", std::chrono::milliseconds(1));
      progress.meter()->add_total(1000);
      progress.meter()->add_done(430);
      char byte = 0;
      if (::read(go[0], &byte, 1) != 1) std::_Exit(1);
    }
    std::fputs("done", stderr);
    std::_Exit(0);
  });
  EXPECT_TRUE(terminal.read_until("\r\x1b[Ksteno: 43 %  430 of 1 k records  ETA"));
  EXPECT_EQ(::write(go[1], "x", 1), 1);
  EXPECT_EQ(terminal.finish(), 0);
  EXPECT_TRUE(terminal.text().ends_with("\r\x1b[Kdone")) << terminal.text();
}

// `less` takes over a terminal like this.
TEST(Progress, SaysNothingOnATerminalThatSomebodyHasTakenOver) {
  Terminal terminal([] {
    termios raw{};
    if (::tcgetattr(STDERR_FILENO, &raw) != 0) std::_Exit(1);
    ::cfmakeraw(&raw);
    if (::tcsetattr(STDERR_FILENO, TCSANOW, &raw) != 0) std::_Exit(1);
    {
      Progress progress(false, "records", std::chrono::milliseconds(1));
      progress.meter()->add_total(1000);
      progress.meter()->add_done(430);
      ::usleep(50'000);
    }
    std::fputs("done", stderr);
    std::_Exit(0);
  });
  EXPECT_EQ(terminal.finish(), 0);
  EXPECT_EQ(terminal.text(), "done");
}

TEST(Progress, SaysNothingWhereItsOutputIsTheTerminalOrWorkIsShort) {
  Terminal terminal([] {
    {
      Progress mixed(true, "records", std::chrono::milliseconds(1));
      mixed.meter()->add_total(1000);
      mixed.meter()->add_done(430);
      ::usleep(50'000);
      Progress brief(false);
      brief.meter()->add_total(1000);
      brief.meter()->add_done(430);
    }
    std::fputs("done", stderr);
    std::_Exit(0);
  });
  EXPECT_EQ(terminal.finish(), 0);
  EXPECT_EQ(terminal.text(), "done");
}

// The command itself, which waits because nobody reads what it prints.
TEST(Progress, OfACommandThatTakesLong) {
  const TempFile file(sample(200'000));
  int out[2];
  ASSERT_EQ(::pipe(out), 0);
  Terminal terminal([&] {
    ::dup2(out[1], STDOUT_FILENO);
    ::close(out[0]);
    ::close(out[1]);
    ::execl(STENO_BINARY, STENO_BINARY, "cat", "--jobs", "1", "--memory", "1M", file.path().c_str(), nullptr);
  });
  ::close(out[1]);
  std::string text;
  char bytes[65536];
  std::size_t lines = 0;
  for (ssize_t n = 0; (n = ::read(out[0], bytes, sizeof bytes)) > 0;) {
    lines += static_cast<std::size_t>(std::count(bytes, bytes + n, '\n'));
    // This reads in the middle of the work, until there is some text.
    if (lines > 50'000 && text.empty() && terminal.read_until(" of 200 k records  ETA ")) text = terminal.text();
  }
  ::close(out[0]);
  EXPECT_EQ(terminal.finish(), 0);
  EXPECT_EQ(lines, 200'000u);
  EXPECT_NE(text.find("\r\x1b[Ksteno: "), std::string::npos);
  EXPECT_TRUE(terminal.text().ends_with("\r\x1b[K")) << terminal.text();
}

}  // namespace
}  // namespace steno::cli
