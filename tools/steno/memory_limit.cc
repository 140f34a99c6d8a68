#include "memory_limit.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "base/parallel.h"

namespace steno::cli {
namespace {

// More memory is reserved than is ever touched: by buffers that grow, and for the stacks of threads.
constexpr std::uint64_t kLeast = std::uint64_t{256} << 20;
constexpr std::size_t kStack = std::size_t{2} << 20;

std::uint64_t page_size() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The first number in a file; UINT64_MAX where there is none ("max").
std::uint64_t number_in(const std::string& path) {
  std::uint64_t number = UINT64_MAX;
  std::ifstream file(path);
  return file >> number ? number : UINT64_MAX;
}

// The least limit of a control group and its parents. `path` begins with '/'.
std::uint64_t least_limit(const std::string& root, std::string path, const std::string& name) {
  std::uint64_t least = UINT64_MAX;
  for (;;) {
    least = std::min(least, number_in(root + path + "/" + name));
    if (path.empty()) return least;
    path.erase(path.rfind('/'));
  }
}

// The memory that control groups (versions 1 and 2) allow; their files have lines "number:controllers:path"
// (cgroups(7)).
std::uint64_t group_limit() {
  std::uint64_t least = UINT64_MAX;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t controllers = line.find(':');
    const std::size_t path = controllers == line.npos ? line.npos : line.find(":/", controllers + 1);
    if (path == line.npos) continue;
    const std::string which = "," + line.substr(controllers + 1, path - controllers - 1) + ",";
    if (which == ",,") least = std::min(least, least_limit("/sys/fs/cgroup", line.substr(path + 1), "memory.max"));
    if (which.find(",memory,") != which.npos) {
      least = std::min(least, least_limit("/sys/fs/cgroup/memory", line.substr(path + 1), "memory.limit_in_bytes"));
    }
  }
  return least;
}

// Set by limit_memory(); 0: the limit is the user's.
std::uint64_t machine_limit = 0;

void set_limit(std::uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, bytes);
  ::setrlimit(RLIMIT_DATA, &limit);
}

// How much of RLIMIT_DATA is used now: proc(5), statm.
std::uint64_t data_size() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  for (int field = 0; field < 6; ++field) file >> pages;
  return file ? pages * page_size() : 0;
}

}  // namespace

std::uint64_t memory_of_machine() {
  const std::uint64_t machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page_size();
  return std::max(std::min(machine, group_limit()) / 4 * 3, kLeast);
}

void limit_memory() {
  // RLIMIT_DATA counts the whole stacks of threads, touched or not.
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_setstacksize(&attributes, kStack);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return;
  machine_limit = std::min<rlim_t>(limit.rlim_max, data_size() + memory_of_machine());
  set_limit(machine_limit);
}

void keep_freed_memory() {
#ifdef M_TRIM_THRESHOLD  // of glibc
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

void bound_memory(std::uint64_t input_bytes, std::uint64_t asked_for) {
  if (machine_limit == 0) return;
  const std::uint64_t machine = machine_limit;
  const auto add = [machine](std::uint64_t a, std::uint64_t b) {
    return a > machine - std::min(b, machine) ? machine : a + b;
  };
  const std::uint64_t of_input = input_bytes > machine / kMemoryPerByte ? machine : input_bytes * kMemoryPerByte;
  const std::uint64_t most = add(add(kMemoryOfAnyInput, of_input), add(kMemoryPerThread * thread_count(), asked_for));
  set_limit(std::min(machine, add(data_size(), most)));
}

void unbound_memory() {
  if (machine_limit != 0) set_limit(machine_limit);
}

std::string out_of_memory_text() {
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  std::string text = "out of memory";
  if (limit.rlim_cur != RLIM_INFINITY)
    text += ": the limit is " + std::to_string(limit.rlim_cur >> 20) + " MiB ('ulimit -d')";
  return text + "; 'cat --no-sort' or a shorter time range (--since, --until) needs less";
}

}  // namespace steno::cli
