// The limit of memory of a command that reads a process.
#include <sys/ioctl.h>

#include <fstream>

#include "live_log.h"

namespace steno::test {
namespace {

constexpr std::uint64_t kNumbers = 500'000;

class LiveMemory : public LiveLog {
 protected:
  // Numbers that cannot be packed.
  static void act(char) {
    std::uint64_t number = 1;
    for (std::uint64_t i = 0; i < kNumbers; ++i) {
      number = number * 6364136223846793005u + 1442695040888963407u;
      STENO_INFO("number {}", number);
    }
    steno::flush();
  }

  // Returns the memory limit, in bytes, of a command that has begun to print and waits for its reader.
  static std::uint64_t limit_of(const std::vector<std::string>& arguments) {
    const Background command(arguments);
    int printed = 0;
    for (int look = 0; look < 2000 && printed == 0; ++look) {
      ::usleep(5000);
      EXPECT_EQ(::ioctl(command.fd(), FIONREAD, &printed), 0);
    }
    EXPECT_NE(printed, 0) << command.errors();
    std::ifstream limits("/proc/" + std::to_string(command.pid()) + "/limits");
    const std::string name = "Max data size";
    for (std::string line; std::getline(limits, line);) {
      if (line.rfind(name, 0) == 0) return std::strtoull(line.c_str() + name.size(), nullptr, 10);
    }
    return 0;
  }
};

TEST_F(LiveMemory, IsBoundedByTheSizeOfTheProcesssFile) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "their shadow alone is more than any limit";
  const pid_t process = start(act);
  tell('n');
  const std::uint64_t of_file = limit_of({"cat", log()});
  const std::uint64_t of_process = limit_of({"cat", "--live", std::to_string(process)});
  // 64 bytes are allowed for each byte of the file.
  EXPECT_GT(of_process, of_file - 32 * kNumbers * sizeof(std::uint64_t));
}

}  // namespace
}  // namespace steno::test
