// Tests that a reader of Output reads what was written, whatever the reader is and does.
#include "output/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace steno::cli {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMega = std::size_t{1} << 20;

// Both ends of something; those that are left are closed.
class Ends {
 public:
  explicit Ends(bool socket = false) {
    const int result = socket ? ::socketpair(AF_UNIX, SOCK_STREAM, 0, fds_) : ::pipe(fds_);
    if (result != 0) std::abort();
  }
  ~Ends() {
    close_reader();
    close_writer();
  }
  int reader() const { return fds_[0]; }
  int writer() const { return fds_[1]; }
  void close_reader() { close(&fds_[0]); }
  void close_writer() { close(&fds_[1]); }

 private:
  static void close(int* fd) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
  int fds_[2] = {-1, -1};
};

std::string read_all(int fd, std::size_t at_a_time = kMega) {
  std::string text;
  std::vector<char> bytes(at_a_time);
  for (ssize_t n = 0; (n = ::read(fd, bytes.data(), bytes.size())) > 0;) text.append(bytes.data(), bytes.data() + n);
  return text;
}

// Bytes that differ from place to place.
class Source {
 public:
  explicit Source(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  void append(std::size_t n, ByteBuffer& buffer) {
    const std::size_t first = text_.size();
    while (text_.size() < first + n) {
      const std::uint64_t more = random_();
      text_.append(reinterpret_cast<const char*>(&more), sizeof more);
    }
    text_.resize(first + n);
    buffer.put_bytes(text_.data() + first, n);
  }
  const std::string& text() const { return text_; }

 private:
  std::mt19937_64 random_;
  std::string text_;
};

// Writes in both of the ways of Output, in turns.
void write_some(Output* output, Source* source, std::size_t bytes) {
  ByteBuffer chunk;
  const std::size_t end = source->text().size() + bytes;
  while (source->text().size() < end && output->good()) {
    const std::size_t n = source->below(8) == 0 ? source->below(3 * kMega) : source->below(200'000);
    if (source->below(2) == 0) {
      source->append(n, output->buffer());
      output->tick();
    } else if (output->flush()) {
      chunk.clear();
      source->append(n, chunk);
      output->write(chunk);
      std::fill(chunk.data(), chunk.data() + n, std::uint8_t{'!'});  // they are ours again
    }
  }
  output->flush();
}

// Returns the text that `read` gets while `write` writes, from the ends that it has prepared.
std::string through(Ends* ends, const std::function<void(Output*)>& write,
                    const std::function<std::string(int)>& read) {
  std::thread writer([&] {
    Output output(ends->writer());
    write(&output);
    ends->close_writer();
  });
  std::string text = read(ends->reader());
  writer.join();
  return text;
}

void expect_same(const std::string& text, const Source& source) {
  ASSERT_EQ(text.size(), source.text().size());
  EXPECT_TRUE(text == source.text());
}

TEST(Output, IsWhatAPipeHas) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Ends ends;
    Source source(seed);
    const auto write = [&](Output* output) { write_some(output, &source, 12 * kMega); };
    const auto read = [&](int fd) { return read_all(fd, seed % 2 == 0 ? kMega : 10'007); };
    expect_same(through(&ends, write, read), source);
  }
}

TEST(Output, IsWhatASocketHas) {
  Ends ends(true);
  Source source(1);
  expect_same(
      through(
          &ends, [&](Output* output) { write_some(output, &source, 6 * kMega); }, [](int fd) { return read_all(fd); }),
      source);
}

TEST(Output, PassesThroughAPipeOfOnePage) {
  Ends ends;
  Source source(2);
  const auto write = [&](Output* output) {
    ASSERT_GT(::fcntl(ends.writer(), F_SETPIPE_SZ, kPage), 0);
    write_some(output, &source, 3 * kMega);
  };
  expect_same(through(&ends, write, [](int fd) { return read_all(fd, 1'000); }), source);
}

TEST(Output, WaitsForRoomInANonBlockingPipe) {
  Ends ends;
  Source source(3);
  ASSERT_EQ(::fcntl(ends.writer(), F_SETFL, O_NONBLOCK), 0);
  const auto write = [&](Output* output) { write_some(output, &source, 8 * kMega); };
  expect_same(through(&ends, write, [](int fd) { return read_all(fd, 60'000); }), source);
}

// tee, pv and others pass pages on instead of reading them: what was written must not change, however late it is looked
// at (docs/adr/004-pipes-get-copies.md).
TEST(Output, IsNotWrittenAgainWhileSomebodyHoldsIt) {
  Ends ends;
  Ends held;
  Source source(4);
  ASSERT_EQ(::fcntl(held.writer(), F_SETPIPE_SZ, kMega), static_cast<int>(kMega));
  const auto write = [&](Output* output) { write_some(output, &source, 24 * kMega); };
  const auto read = [&](int fd) {
    std::size_t passed = 0;
    while (passed < kMega / 2) {
      const ssize_t n = ::splice(fd, nullptr, held.writer(), nullptr, kMega / 2 - passed, 0);
      if (n <= 0) break;
      passed += static_cast<std::size_t>(n);
    }
    const std::string rest = read_all(fd);
    held.close_writer();
    return read_all(held.reader()) + rest;
  };
  expect_same(through(&ends, write, read), source);
}

TEST(Output, EndsQuietlyWhenItsReaderLeaves) {
  ASSERT_NE(std::signal(SIGPIPE, SIG_IGN), SIG_ERR);  // as the command does
  for (const std::size_t taken : {std::size_t{0}, std::size_t{10}, std::size_t{300'000}, 5 * kMega}) {
    Ends ends;
    Source source(6);
    std::thread reader([&] {
      std::vector<char> bytes(kPage);
      for (std::size_t all = 0; all < taken;) {
        const ssize_t n = ::read(ends.reader(), bytes.data(), bytes.size());
        if (n <= 0) break;
        all += static_cast<std::size_t>(n);
      }
      ends.close_reader();
    });
    Output output(ends.writer());
    write_some(&output, &source, 64 * kMega);
    reader.join();
    EXPECT_FALSE(output.good());
    EXPECT_EQ(output.error(), 0);
    EXPECT_LT(source.text().size(), 64 * kMega);
  }
}

// The signal ends the process if it is not ignored.
TEST(Output, RaisesSigpipeWhereThatIsNotIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGPIPE, SIG_DFL);
        Ends ends;
        Source source(7);
        ends.close_reader();
        Output output(ends.writer());
        source.append(kMega, output.buffer());
        output.flush();
      },
      testing::KilledBySignal(SIGPIPE), "");
}

TEST(Output, SaysThatADiskIsFull) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  struct stat status {};
  if (full < 0 || ::fstat(full, &status) != 0 || !S_ISCHR(status.st_mode)) GTEST_SKIP() << "no /dev/full";
  Output output(full);
  Source source(8);
  source.append(kMega, output.buffer());
  EXPECT_FALSE(output.flush());
  EXPECT_EQ(output.error(), ENOSPC);
  ::close(full);
}

TEST(Output, IsWhatAFileHas) {
  const int file = ::memfd_create("output", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  Source source(9);
  {
    Output output(file);
    write_some(&output, &source, 4 * kMega);
    EXPECT_TRUE(output.good());
  }
  ASSERT_EQ(::lseek(file, 0, SEEK_SET), 0);
  expect_same(read_all(file), source);
  ::close(file);
}

}  // namespace
}  // namespace steno::cli
