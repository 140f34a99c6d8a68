// Programs on machines, and with code beside them, that are not good to them (programs/survivor.cc): no memory, closed
// descriptors, long idleness.
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "../cli/run_command.h"
#include "log_test.h"
#include "receiver.h"

namespace steno_test {
namespace {

using steno::test::Ran;
using steno::test::run_steno;

class SurvivalTest : public LogTest {
 protected:
  struct Outcome {
    int status = -1;  // of wait
    std::string said;
  };

  SurvivalTest() { setenv("STENO_STAGING", directory_.c_str(), 1); }
  ~SurvivalTest() override { unsetenv("STENO_STAGING"); }

  // Runs it; what it reads is `input`, given once it has said a line that begins with `after`, if any.
  Outcome run(const std::vector<std::string>& arguments, const std::function<std::string()>& input = {}) {
    int out[2];
    int in[2];
    EXPECT_EQ(::pipe(out), 0);
    EXPECT_EQ(::pipe(in), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      for (const int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      std::vector<char*> all = {const_cast<char*>(STENO_SURVIVOR)};
      for (const std::string& argument : arguments) all.push_back(const_cast<char*>(argument.c_str()));
      all.push_back(nullptr);
      ::execv(STENO_SURVIVOR, all.data());
      std::_Exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    Outcome outcome;
    char buffer[4096];
    bool asked = false;
    for (ssize_t n; (n = ::read(out[0], buffer, sizeof buffer)) > 0;) {
      outcome.said.append(buffer, static_cast<std::size_t>(n));
      if (!asked && input && outcome.said.find("flush ") != std::string::npos) {
        asked = true;
        const std::string text = input();
        EXPECT_EQ(::write(in[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
      }
    }
    ::close(in[1]);
    ::close(out[0]);
    EXPECT_EQ(::waitpid(child, &outcome.status, 0), child);
    return outcome;
  }

  static long number_in(const std::string& said, const std::string& name) {
    const std::size_t at = said.find(name + " ");
    return at == std::string::npos ? -1 : std::atol(said.c_str() + at + name.size() + 1);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      if (entry.path().string().starts_with(path())) found.push_back(entry.path().string());
    }
    return found;
  }
  std::size_t count(const std::string& what) {
    std::size_t found = 0;
    for (const Row& row : read_log(path()).rows) found += row.message.find(what) == 0 ? 1 : 0;
    return found;
  }
};

// Whichever allocation of the scribe fails, and however many after it: nothing that was logged is lost, and it says so.
TEST_F(SurvivalTest, NoAllocationOfTheScribeThatFailsCostsARecord) {
  std::vector<std::pair<long, long>> failures;
  for (long at = 1; at <= 60; ++at) failures.emplace_back(at, 1);
  for (long at = 64; at <= 3000; at += at / 8) failures.emplace_back(at, 1);
  for (const long at : {3L, 17L, 71L, 300L}) failures.emplace_back(at, 20);
  for (const auto& [at, many] : failures) {
    std::filesystem::remove(path());
    const Outcome outcome = run({"fail-allocations", path(), std::to_string(at), std::to_string(many)});
    ASSERT_EQ(outcome.status, 0) << at << " " << many << "\n" << outcome.said;
    EXPECT_NE(outcome.said.find("flush ok"), std::string::npos) << at << " " << many << "\n" << outcome.said;
    EXPECT_EQ(static_cast<long>(count("number ")), number_in(outcome.said, "logged")) << at << " " << many;
    const Ran verify = run_steno({"verify", path()});
    EXPECT_EQ(verify.code, 0) << at << " " << many << "\n" << verify.out;
  }
}

// Memory fails while the program goes on in another file, with the clock of the one before: no record is lost.
TEST_F(SurvivalTest, NorWhereTheLogIsRotated) {
  std::vector<long> failures;
  for (long at = 1; at <= 3000; at += 1 + at / 12) failures.push_back(at);
  for (const long at : failures) {
    for (const std::string& file : files()) std::filesystem::remove(file);
    const Outcome outcome = run({"fail-allocations-and-rotate", path(), std::to_string(at), "1"});
    ASSERT_EQ(outcome.status, 0) << at << "\n" << outcome.said;
    std::vector<std::string> verify = files();
    std::size_t written = 0;
    for (const std::string& file : verify) {
      for (const Row& row : read_log(file).rows) written += row.message.find("number ") == 0 ? 1 : 0;
    }
    EXPECT_EQ(static_cast<long>(written), number_in(outcome.said, "logged")) << at;
    EXPECT_GT(verify.size(), 3u) << at;
    verify.insert(verify.begin(), "verify");
    // The end of the file before may be missing, and is said to be.
    const Ran verified = run_steno(verify);
    EXPECT_TRUE(verified.code == 0 || verified.out.find(" has no end, ") != std::string::npos) << at << verified.out;
    EXPECT_EQ(verified.out.find("damage"), std::string::npos) << at << "\n" << verified.out;
  }
}

TEST_F(SurvivalTest, WithoutMemoryItGoesOnAndCountsWhatIsMissing) {
  for (const char* how : {"limit-memory", "limit-memory-at-once"}) {
    std::filesystem::remove(path());
    const Outcome outcome = run({how, path()});
    ASSERT_EQ(outcome.status, 0) << how << "\n" << outcome.said;
    const auto logged = static_cast<std::size_t>(number_in(outcome.said, "logged"));
    const std::size_t written = count("number ");
    const Ran verify = run_steno({"verify", "--json", path()});
    const long lost = number_in(verify.out, "\"lost\":");
    const std::size_t at = verify.out.find("\"lost\":");
    ASSERT_NE(at, std::string::npos) << verify.out << lost;
    EXPECT_EQ(written + static_cast<std::size_t>(std::atol(verify.out.c_str() + at + 7)), logged) << how << verify.out;
    EXPECT_NE(outcome.said.find(", then ok"), std::string::npos) << outcome.said;
  }
}

// Threads that get no ring: their records are counted, flush() and verify say so, and later threads log again.
TEST_F(SurvivalTest, RecordsOfThreadsWithoutARingAreCounted) {
  if (steno::test::kAddressSanitizer || steno::test::kThreadSanitizer) GTEST_SKIP() << "they need address space";
  const Outcome outcome = run({"no-ring", path()});
  ASSERT_EQ(outcome.status, 0) << outcome.said;
  const long refused = number_in(outcome.said, "refused");
  EXPECT_GE(refused, 400) << outcome.said;
  EXPECT_EQ(number_in(outcome.said, "discarded"), refused) << outcome.said;
  EXPECT_NE(outcome.said.find("flush no memory for a ring"), std::string::npos) << outcome.said;
  EXPECT_EQ(count("number "), 801u - static_cast<std::size_t>(refused));
  const Ran verify = run_steno({"verify", path()});
  EXPECT_EQ(verify.code, 1) << verify.out;
  EXPECT_NE(verify.out.find(" " + std::to_string(refused) + " lost"), std::string::npos) << verify.out;
}

// A program that closes what it does not know is alive all the same, and its descriptors' numbers are others' by then.
TEST_F(SurvivalTest, ClosedDescriptorsCostNothing) {
  for (const char* how : {"close-all", "replace-all"}) {
    for (const char* end : {"s", "k"}) {
      std::filesystem::remove(path());
      const Outcome outcome = run({how, path()}, [this, end] {
        // Another start of the program looks after the dead.
        const Outcome other = run({"fail-allocations", path(), "0", "0"});
        EXPECT_EQ(other.status, 0) << other.said;
        return std::string(end);
      });
      const bool killed = *end == 'k';
      EXPECT_EQ(outcome.status, killed ? SIGKILL : 0) << outcome.said;
      EXPECT_NE(outcome.said.find("flush ok"), std::string::npos) << outcome.said;
      if (killed) {
        EXPECT_EQ(run_steno({"recover", path()}).code, 0);
      } else {
        EXPECT_EQ(number_in(outcome.said, "strange bytes"), 0) << "written into a file of the program's";
      }
      EXPECT_EQ(static_cast<long>(count("number ")), number_in(outcome.said, "logged") + 3702) << how << end;
      const Ran verify = run_steno({"verify", path()});
      EXPECT_EQ(verify.code, 0) << verify.out;
      EXPECT_EQ(verify.out.find("process") != std::string::npos, killed) << verify.out;
    }
  }
}

// Sinks go on in their file and by another connection, and a configuration file is read again when it changes.
TEST_F(SurvivalTest, ClosedDescriptorsOfSinks) {
  for (const char* how : {"close-sinks", "replace-sinks"}) {
    for (const bool tcp : {false, true}) {
      for (const char* name : {"", ".txt"}) std::filesystem::remove(path() + name);
      const Receiver receiver(AF_INET, tcp ? SOCK_STREAM : SOCK_DGRAM);
      const std::string address = (tcp ? "tcp://127.0.0.1:" : "udp://127.0.0.1:") + std::to_string(receiver.port());
      const Outcome outcome = run({how, path(), address});
      ASSERT_EQ(outcome.status, 0) << outcome.said;
      EXPECT_EQ(outcome.said, "config read\nstrange bytes 0\n") << how << " " << address;
      std::string sent;
      for (int i = 0; i < (tcp ? 2 : 40); ++i) {
        if (!tcp) {
          sent += receiver.datagram() + "\n";
          continue;
        }
        const int connection = receiver.accept_one();
        sent += Receiver::all_of(connection) + "\n";
        ::close(connection);
      }
      std::ifstream file(path() + ".txt");
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      for (const std::string& all : {sent, text}) {
        std::size_t at = 0;
        for (int i = 0; i < 40 && at != std::string::npos; ++i) at = all.find("number " + std::to_string(i), at);
        EXPECT_NE(at, std::string::npos) << how << " " << address << "\n" << all;
      }
    }
  }
}

// The kernel counts how often the scribe's thread gave up its core by itself: once each time that it waits.
TEST_F(SurvivalTest, AnIdleProgramIsLeftAlone) {
  for (const char* how : {"idle", "idle-with-sink"}) {
    std::filesystem::remove(path());
    const Outcome outcome = run({how, path()});
    ASSERT_EQ(outcome.status, 0) << outcome.said;
    EXPECT_GE(number_in(outcome.said, "idle switches"), 0);
    EXPECT_LE(number_in(outcome.said, "idle switches"), 1) << how;
    EXPECT_EQ(outcome.said.find("came no"), std::string::npos) << outcome.said;
    EXPECT_EQ(count("number "), 14u);
  }
}

}  // namespace
}  // namespace steno_test
