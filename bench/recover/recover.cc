// Recovery of 1 GB of orphaned staging, beside a copy of as many bytes; opening and verifying the file, beside reading
// it.
#include <fcntl.h>
#include <steno/log.h>
#include <steno/session.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/harness.h"
#include "live/recover.h"
#include "reader/log_set.h"
#include "reader/losses.h"

namespace steno::bench {
namespace {

constexpr int kThreads = 2;

// Fills the rings in a process of its own while nobody drains them, and dies. Records of other levels would leave room
// for these.
[[noreturn]] void fill_and_die(const std::string& path, const std::string& staging, std::size_t ring_bytes,
                               bool noise) {
  Options options;
  options.path = path;
  options.staging_directory = staging;
  options.ring_bytes = ring_bytes;
  options.staging_limit = 2 * kThreads * ring_bytes;
  options.when_full = WhenFull::kDrop;
  options.scribe_thread = false;
  if (!steno::start(options)) std::_Exit(1);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([=] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      const std::size_t bytes = noise ? 40 : 32;  // of a record
      const std::size_t messages = (ring_bytes - 4096) / bytes;
      for (std::size_t i = 0; i < messages; ++i) {
        if (noise) {
          STENO_CRITICAL("noise {} {} {}", random(), random(), random());
        } else {
          STENO_CRITICAL("buffer has consumed {} bytes, current allocation: {} bytes, {}", static_cast<int>(i),
                         static_cast<int>(i & 0xFFFF), t);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  raise(SIGKILL);
  std::_Exit(1);
}

double copy_seconds(std::size_t bytes) {
  std::vector<char> from(bytes, 'a');
  std::vector<char> to(bytes, 'b');
  std::vector<double> each;
  for (int i = 0; i < 3; ++i) {
    const double begin = seconds_now();
    std::memcpy(to.data(), from.data(), bytes);
    forget_registers();
    each.push_back(seconds_now() - begin);
  }
  return median(each);
}

// Measures reading the file as `cat FILE >/dev/null` does.
double read_seconds(const std::string& path) {
  std::vector<double> each;
  std::vector<char> buffer(std::size_t{1} << 17);
  for (int i = 0; i < 3; ++i) {
    const double begin = seconds_now();
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    while (read(fd, buffer.data(), buffer.size()) > 0) {
    }
    close(fd);
    each.push_back(seconds_now() - begin);
  }
  return median(each);
}

double verify_seconds(const std::string& path, bool* complete) {
  std::vector<double> each;
  for (int i = 0; i < 3; ++i) {
    const double begin = seconds_now();
    reader::LogSet logs;
    if (!logs.add(path).ok()) std::exit(1);
    *complete = reader::find_losses(*logs.files()[0], {}).complete();
    each.push_back(seconds_now() - begin);
  }
  return median(each);
}

struct Outcome {
  double seconds = 0;
  std::uint64_t records = 0;
  std::uint64_t file_bytes = 0;
};

Outcome kill_and_recover(const std::string& path, const std::string& staging, std::size_t ring_bytes, bool noise) {
  const pid_t child = fork();
  if (child == 0) fill_and_die(path, staging, ring_bytes, noise);
  int status = 0;
  waitpid(child, &status, 0);
  std::vector<std::string> problems;
  Outcome outcome;
  const double begin = seconds_now();
  const auto recovered = live::recover_for(path, live::Search::kMarked, {staging}, {}, &problems);
  outcome.seconds = seconds_now() - begin;
  if (recovered.size() != 1 || !problems.empty()) {
    std::fprintf(stderr, "recovery failed: %s\n", problems.empty() ? "nothing found" : problems[0].c_str());
    std::exit(1);
  }
  outcome.records = recovered[0].records;
  outcome.file_bytes = recovered[0].bytes;
  return outcome;
}

Suite recovery(const Flags& flags, const std::string& staging, std::size_t ring_bytes) {
  Suite suite{"recovery", "Recovery of a killed process's staging, 1 GB in two rings", "see the columns", false, {},
              {}};
  const double gigabytes = static_cast<double>(kThreads * ring_bytes) / 1e9;
  const Outcome outcome = kill_and_recover(flags.directory + "/recover.steno", staging, ring_bytes, false);
  const double copy = copy_seconds(kThreads * ring_bytes);
  const auto row = [&](double seconds) {
    const double records = static_cast<double>(outcome.records);
    return std::vector<std::pair<std::string, double>>{
        {"s", seconds}, {"GB/s", gigabytes / seconds}, {"million records/s", records / seconds / 1e6}};
  };
  suite.rows = {{"recovery into the file", row(outcome.seconds)}, {"memcpy of as many bytes", row(copy)}};
  suite.bars = {{"recovery of 1 GB, s", outcome.seconds / gigabytes, 5, outcome.seconds / gigabytes <= 5}};
  return suite;
}

Suite verification(const Flags& flags, const std::string& staging, std::size_t ring_bytes) {
  Suite suite{"verify", "Verifying a file of random 64-bit arguments, which do not shrink", "GB/s", true, {}, {}};
  const std::string path = flags.directory + "/verify.steno";
  const Outcome outcome = kill_and_recover(path, staging, ring_bytes, true);
  const double gigabytes = static_cast<double>(outcome.file_bytes) / 1e9;
  bool complete = false;
  const double verify = gigabytes / verify_seconds(path, &complete);
  const double read = gigabytes / read_seconds(path);
  suite.rows = {{"cat FILE >/dev/null", {{"GB/s", read}}}, {"steno verify", {{"GB/s", verify}}}};
  suite.bars = {{"verify, GB/s", verify, 1, verify >= 1 && complete}};
  return suite;
}

}  // namespace
}  // namespace steno::bench

int main(int argc, char** argv) {
  using namespace steno::bench;
  const Flags flags = parse_flags(argc, argv);
  const std::size_t ring_bytes = std::size_t{1} << (flags.smoke ? 20 : 29);
  char staging[] = "/dev/shm/steno-bench-XXXXXX";
  if (mkdtemp(staging) == nullptr) {
    std::perror("bench/recover: /dev/shm");
    return 1;
  }
  const int code = finish(flags, {recovery(flags, staging, ring_bytes), verification(flags, staging, ring_bytes)});
  const std::string remove = std::string("rm -rf ") + staging;
  return std::system(remove.c_str()) == 0 ? code : 1;
}
