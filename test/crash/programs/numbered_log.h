// Logs the messages of numbered.h.
#pragma once

#include <fcntl.h>
#include <steno/log.h>
#include <steno/logf.h>
#include <steno/logger.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../numbered.h"

namespace steno::crash {

// `new_formats`: messages of one integer are statements that nobody had before.
inline void log_numbered(std::uint64_t thread, std::uint64_t number, Logger net, Logger store,
                         bool new_formats = false) {
  const Shape shape = shape_of(number);
  const std::uint64_t bits = mix(thread, number);
  switch (shape) {
    case Shape::kNothing:
      STENO_INFO("nothing to say");
      return;
    case Shape::kOne:
      if (new_formats) {
        const std::string file = "made_by_" + std::to_string(thread) + ".cc";
        logf({Level::kInfo, file.c_str(), static_cast<unsigned>(number)}, "%lu", static_cast<unsigned long>(number));
      } else {
        STENO_INFO("{}", number);
      }
      return;
    case Shape::kInts:
      STENO_DEBUG("{} of {}: {} {} {} {}", number, static_cast<unsigned>(thread), static_cast<std::int8_t>(bits),
                  static_cast<std::int16_t>(bits >> 8), static_cast<std::int64_t>(bits), bits);
      return;
    case Shape::kDoubles:
      STENO_INFO("{} at {:.4f} and {:.2f}", number, static_cast<double>(bits >> 20) / 1024,
                 static_cast<float>(bits >> 50) / 4);
      return;
    default:
      break;
  }
  const std::string text = text_of(shape, thread, number);
  switch (shape) {
    case Shape::kShort:
      STENO_NOTICE("{}", text);
      return;
    case Shape::kText:
      STENO_INFO("{} says {}", number, text);
      return;
    case Shape::kTerminated:
      STENO_TRACE("{} ends {}", number, text.c_str());
      return;
    case Shape::kPrintf:
      STENO_INFOF("%lu printed %s %08lx %.3e", static_cast<unsigned long>(number), text.c_str(),
                  static_cast<unsigned long>(bits >> 32), static_cast<double>(bits));
      return;
    case Shape::kMixed:
      STENO_WARN("{} {} {} {}", number, bits % 2 != 0, static_cast<char>('A' + bits % 26), std::string_view(text));
      return;
    case Shape::kLogger:
      STENO_LOG_TO(net, INFO, "{} for {}", number, text);
      return;
    case Shape::kLoggerPrintf:
      STENO_LOGF_TO(store, NOTICE, "%lu in %lu", static_cast<unsigned long>(number), static_cast<unsigned long>(bits));
      return;
    case Shape::kError:
      STENO_ERROR("{} went wrong: {}", number, text);
      return;
    case Shape::kLarge:
      STENO_INFO("{} is large: {}", number, text);
      return;
    default:
      STENO_INFO("{} is huge: {}", number, text);
      return;
  }
}

// The counts in a file, made if need be; nullptr: it cannot be.
inline Counts* map_counts(const char* path) {
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return nullptr;
  void* memory = MAP_FAILED;
  if (ftruncate(fd, sizeof(Counts)) == 0)
    memory = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return memory == MAP_FAILED ? nullptr : static_cast<Counts*>(memory);
}

// One thread's messages, each counted when its call has returned.
class Speaker {
 public:
  Speaker(std::uint64_t thread, Counts* counts, Logger net, Logger store, bool new_formats = false)
      : thread_(thread), counts_(counts), net_(net), store_(store), new_formats_(new_formats) {}

  // Logs the next one; returns how many there are.
  std::uint64_t speak() {
    log_numbered(thread_, number_, net_, store_, new_formats_);
    __atomic_store_n(&counts_->threads[thread_].done, ++number_, __ATOMIC_RELEASE);
    return number_;
  }

 private:
  const std::uint64_t thread_;
  Counts* const counts_;
  const Logger net_;
  const Logger store_;
  const bool new_formats_;
  std::uint64_t number_ = 0;
};

}  // namespace steno::crash
