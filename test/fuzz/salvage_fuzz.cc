// Staging that an enemy has written, and goes on writing while it is read: salvaged, read, recovered. The input is a
// session file, a dictionary and a ring, one after the other, each after its length; magic and version are mended, so
// that mutations reach what is after them. Half of the inputs are changed by a thread meanwhile.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "fuzz_input.h"
#include "live/recover.h"
#include "live/salvage.h"
#include "live/staging_tail.h"
#include "reader/losses.h"
#include "reader/merge.h"
#include "reader/message.h"
#include "ring/layout.h"

namespace steno {
namespace {

using fuzz::require;

constexpr std::size_t kCapacity = ring::kMinCapacity;

std::string scratch() {
  static const std::string path = [] {
    char name[] = "/dev/shm/steno-fuzz-XXXXXX";
    require(mkdtemp(name) != nullptr, "a directory can be made");
    return std::string(name);
  }();
  return path;
}

void write_file(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  require(fd >= 0 && write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
          "files can be written");
  close(fd);
}

// Takes the next part: its length in two bytes, then its bytes, which become `size` bytes.
std::vector<std::uint8_t> take(const std::uint8_t*& p, std::size_t& left, std::size_t size) {
  std::size_t length = 0;
  if (left >= 2) {
    length = std::min<std::size_t>(load<std::uint16_t>(p), left - 2);
    p += 2;
    left -= 2;
  }
  std::vector<std::uint8_t> part(p, p + length);
  p += length;
  left -= length;
  if (size != 0) part.resize(size);
  return part;
}

void make_staging(const std::string& directory, const std::uint8_t* data, std::size_t size) {
  require(mkdir(directory.c_str(), 0700) == 0, "a directory can be made");
  std::vector<std::uint8_t> session = take(data, size, ring::kHeaderBytes);
  store(session.data(), ring::kSessionMagic);
  store(session.data() + 8, ring::kVersion);
  const std::string path = scratch() + "/log.steno";
  std::memcpy(session.data() + offsetof(ring::SessionFile, log_path), path.c_str(), path.size() + 1);
  write_file(directory + "/session", session);
  write_file(directory + "/dictionary", take(data, size, 0));
  for (std::uint32_t id = 0; id < 2; ++id) {
    std::vector<std::uint8_t> ring = take(data, size, ring::kHeaderBytes + kCapacity);
    store(ring.data(), ring::kRingMagic);
    store(ring.data() + 8, ring::kVersion);
    store(ring.data() + 12, id);
    store(ring.data() + 16, std::uint64_t{kCapacity});
    if (ring[24] % 2 == 0) store(ring.data() + offsetof(ring::RingHeader, base), std::uint64_t{0});
    write_file(directory + "/ring-" + std::to_string(id), ring);
  }
}

void read(reader::Extra extra) {
  reader::LogSet logs;
  std::vector<reader::Extra> extras;
  extras.push_back(std::move(extra));
  require(logs.add("/nonexistent", std::move(extras)).ok(), "what was salvaged can be opened");
  const reader::LogFile& file = *logs.files()[0];
  require(file.damage().empty(), "what was salvaged is sound");
  reader::Merge merge(logs, {});
  reader::Slice slice;
  std::uint64_t shown = 0;
  while (merge.next(&slice)) shown += slice.end - slice.begin;
  require(shown <= file.sessions().size() * 2 * kCapacity / 16 + 64, "no more than the rings have room for");
  require(merge.failures().empty(), "every block can be decoded");
  (void)reader::find_losses(file, {.drops = true, .content = true});
}

// Writes words into a ring as long as it lives.
class Enemy {
 public:
  Enemy(const std::string& path, std::uint64_t seed) : fd_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    constexpr std::size_t kSize = ring::kHeaderBytes + kCapacity;
    memory_ = static_cast<std::uint8_t*>(mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    require(memory_ != MAP_FAILED, "a ring can be mapped");
    thread_ = std::thread([this, seed]() mutable {
      while (!stop_.load(std::memory_order_relaxed)) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const std::size_t at = seed >> 33 & 0xFFFF;
        // Header words that a producer or consumer changes, or data.
        std::size_t offset = at % 4 != 0 ? ring::kHeaderBytes + at % kCapacity / 8 * 8 : 128 + at / 4 % 64 * 8;
        if (at % 64 == 0) offset = offsetof(ring::RingHeader, capacity);
        auto* word = reinterpret_cast<std::uint64_t*>(memory_ + offset);
        __atomic_store_n(word, seed % 3 == 0 ? *word ^ 1u << (seed >> 60) : seed >> (seed & 63), __ATOMIC_RELAXED);
      }
    });
  }
  ~Enemy() {
    stop_.store(true);
    thread_.join();
    munmap(memory_, ring::kHeaderBytes + kCapacity);
    close(fd_);
  }

 private:
  int fd_;
  std::uint8_t* memory_ = nullptr;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Follows a log like `tail -f`: it looks again and again through one view.
void follow(const std::string& directory, int looks) {
  auto tail = live::StagingTail::open(directory);
  if (!tail.ok()) return;
  for (int look = 0; look < looks; ++look) {
    (void)(*tail)->moved();
    ByteBuffer blocks;
    (void)(*tail)->look(&blocks);
    if (!blocks.empty()) read({std::move(blocks), (*tail)->session_id(), true});
  }
}

}  // namespace
}  // namespace steno

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steno;
  if (size == 0) return 0;
  const bool enemy = (data[0] & 1) != 0;
  const std::string directory = scratch() + "/1-0123456789abcdef";
  make_staging(directory, data + 1, size - 1);
  {
    std::unique_ptr<Enemy> writer;
    if (enemy) writer = std::make_unique<Enemy>(directory + "/ring-0", size * 7919 + data[0]);
    for (int look = 0; look < (enemy ? 8 : 1); ++look) {
      auto salvage = live::salvage(directory);
      if (salvage.ok()) read({std::move(salvage->blocks), salvage->session_id, false});
    }
    follow(directory, enemy ? 8 : 2);
    (void)live::recover(directory, scratch() + "/log.steno");
  }
  if (access(directory.c_str(), F_OK) == 0) {
    for (const char* name : {"session", "dictionary", "ring-0", "ring-1"}) unlink((directory + "/" + name).c_str());
    rmdir(directory.c_str());
  }
  unlink((scratch() + "/log.steno").c_str());
  return 0;
}
