#include "base/read_advice.h"

#include <sys/mman.h>
#include <unistd.h>

namespace steno {
namespace {

void advise(std::span<const std::uint8_t> bytes, int advice) {
  if (bytes.empty()) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size());
  (void)::madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

ScatteredReads::ScatteredReads(std::span<const std::uint8_t> mapped) : mapped_(mapped) {
  advise(mapped_, MADV_RANDOM);
}

ScatteredReads::~ScatteredReads() {
  advise(mapped_, MADV_NORMAL);
}

void read_soon(std::span<const std::uint8_t> mapped) {
  advise(mapped, MADV_WILLNEED);
}

}  // namespace steno
