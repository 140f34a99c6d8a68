// Whatever becomes of a log's bytes: what the commands print and what they say is lost are together what was logged,
// wherever they state a number, and they call nothing complete where something is missing.
//
//   STENO_MUTATION_SEED=N   repeats a run (but for the log, which is made anew)
//   STENO_MUTATIONS=N       makes as many, instead of 60 (30 under sanitizers)
#include <gtest/gtest.h>
#include <steno/log.h>
#include <steno/session.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "../mutations.h"
#include "mutated_file.h"
#include "run_command.h"

namespace steno::test {
namespace {

std::uint64_t mixed(std::uint64_t n) {
  n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9;
  n = (n ^ n >> 27) * 0x94d049bb133111eb;
  return n ^ n >> 31;
}

std::string text_of(std::uint64_t number, std::size_t longest) {
  std::string text(1 + mixed(number) % longest, ' ');
  std::uint64_t state = number;
  for (char& c : text) c = static_cast<char>('!' + (state = mixed(state + 0x9e3779b97f4a7c15)) % 90);
  return text;
}

// Logs record `number`; its message.
std::string log_one(std::uint64_t number, std::size_t longest) {
  const std::string id = std::to_string(number);
  const std::string text = text_of(number, longest);
  switch (number % 16) {
    case 0:
      STENO_WARN("{number} has {text}", number, text);
      return id + " has " + text;
    case 1:
      STENO_NOTICE("at {number}", number);
      return "at " + id;
    case 2:
      STENO_LOGF(INFO, "number %d", static_cast<int>(number));
      return "number " + id;
    case 3:
      if (number % 1024 != 3) break;
      STENO_ERROR("{number} fails", number);
      return id + " fails";
    default:
      break;
  }
  STENO_INFO("{text} is {number}", text, number);
  return text + " is " + id;
}

// A log of two sessions, each of two threads.
class LoggedFile {
 public:
  LoggedFile(std::size_t bytes, std::size_t longest, bool messages) : keep_messages_(messages), longest_(longest) {
    char directory[] = "/tmp/steno-mutation-XXXXXX";
    directory_ = ::mkdtemp(directory);
    path_ = directory_ + "/log.steno";
    log_session(bytes - bytes / 3);
    log_session(bytes / 3);
    sound_ = read_file(path_);
  }
  ~LoggedFile() { std::filesystem::remove_all(directory_); }

  const std::string& path() const { return path_; }
  const std::string& sound() const { return sound_; }
  std::uint64_t records() const { return records_; }
  const std::unordered_set<std::string>& messages() const { return messages_; }

 private:
  void log_session(std::size_t bytes) {
    ASSERT_TRUE(steno::start(path_));
    std::vector<std::string> logged[2];
    const std::uint64_t count = 2 * bytes / longest_;
    std::thread other([&] { log_some(records_, count / 2, &logged[0]); });
    log_some(records_ + count / 2, count / 2, &logged[1]);
    other.join();
    steno::stop();
    records_ += count / 2 * 2;
    for (auto& some : logged) messages_.insert(some.begin(), some.end());
  }
  void log_some(std::uint64_t first, std::uint64_t count, std::vector<std::string>* logged) {
    for (std::uint64_t i = first; i < first + count; ++i) {
      std::string message = log_one(i, longest_);
      if (keep_messages_) logged->push_back(std::move(message));
      if (i % (count / 40 + 1) == 0) steno::flush();
    }
  }

  const bool keep_messages_;
  const std::size_t longest_;
  std::string directory_;
  std::string path_;
  std::string sound_;
  std::uint64_t records_ = 0;
  std::unordered_set<std::string> messages_;
};

// `"key":value` of a line of JSON, as far as the next comma.
std::string value_of(const std::string& json, const std::string& key) {
  const std::size_t at = json.find("\"" + key + "\":");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 3;
  return json.substr(begin, json.find_first_of(",}\n", begin) - begin);
}

std::uint64_t number_of(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 10);
}

class Mutations : public ::testing::Test {
 protected:
  Mutations() {
    const char* given = std::getenv("STENO_MUTATION_SEED");
    seed_ = given != nullptr ? number_of(given) : std::random_device()();
    random_.seed(seed_);
    std::cout << "STENO_MUTATION_SEED=" << seed_ << "\n";
  }

  void mutate(LoggedFile& log, unsigned times, bool by_index) {
    ASSERT_EQ(run_steno({"verify", log.path()}).code, 0);
    for (unsigned i = 0; i < times; ++i) {
      MutatedFile file(log.path(), log.sound());
      std::string what = file.mutate(i, random_);
      while (random_() % 4 == 0) what += ", " + file.mutate(static_cast<unsigned>(random_()), random_);
      SCOPED_TRACE("mutation " + std::to_string(i) + ": " + what);
      file.write();
      check(log, by_index);
      if (!HasFailure()) continue;
      const std::string kept = "/tmp/steno-mutation-" + std::to_string(seed_) + ".steno";
      std::filesystem::copy_file(log.path(), kept, std::filesystem::copy_options::overwrite_existing);
      std::cout << "the damaged file is kept as " << kept << ", of " << log.records() << " records\n";
      return;
    }
  }

  void check(const LoggedFile& log, bool by_index) {
    const Ran verify = run_steno({"verify", "--json", log.path()});
    const Ran cat = run_steno({"cat", "--count", log.path()});
    const Ran stat = run_steno({"stat", "--json", log.path()});
    const Ran tail = run_steno({"tail", "-n", "3", log.path()});
    ASSERT_LE(verify.code, 3) << verify.err;
    ASSERT_NE(verify.code, 2) << verify.err;
    ASSERT_EQ(cat.code, stat.code) << cat.err << stat.err;
    ASSERT_EQ(cat.err, stat.err);
    if (!by_index || cat.code == 3) {
      ASSERT_EQ(cat.code, tail.code) << cat.err << tail.err;
      ASSERT_EQ(cat.err, tail.err);
    } else {
      ASSERT_TRUE(tail.code == 0 || tail.code == cat.code) << cat.err << tail.err;  // it reads the end only
    }
    if (cat.code == 3) {
      ASSERT_EQ(verify.code, 3);
      ASSERT_EQ(verify.err, cat.err);
      return;
    }
    const std::uint64_t printed = number_of(cat.out);
    const std::uint64_t lost = number_of(value_of(verify.out, "lost"));
    const bool exact = value_of(verify.out, "exact") == "true";
    const bool complete = value_of(verify.out, "complete") == "true";
    const std::uint64_t missing = log.records() - printed;
    ASSERT_LE(printed, log.records());
    ASSERT_EQ(value_of(verify.out, "records"), std::to_string(printed)) << verify.out;
    ASSERT_EQ(value_of(stat.out, "records"), std::to_string(printed)) << verify.out;
    ASSERT_EQ(verify.code, complete ? 0 : 1);
    ASSERT_LE(lost, missing) << verify.out;
    if (exact) {
      ASSERT_EQ(lost, missing) << verify.out;
    }
    if (complete) {
      ASSERT_EQ(missing, 0u);
      ASSERT_EQ(cat.code, 0) << cat.err;
    }
    if (cat.code == 0 && verify.code == 1) {
      ASSERT_NE(verify.out.find("\"no_end\""), std::string::npos) << verify.out;
    }
    if (!log.messages().empty()) check_messages(log, number_of(value_of(verify.out, "unprintable")), printed);
  }

  // Each message that is printed was logged, and is printed once.
  void check_messages(const LoggedFile& log, std::uint64_t unprintable, std::uint64_t printed) {
    const Ran all = run_steno({"cat", "--pattern", "{message}", log.path()});
    std::unordered_set<std::string> met;
    std::uint64_t without_text = 0;
    std::uint64_t lines = 0;
    for (std::size_t begin = 0; begin < all.out.size(); ++lines) {
      const std::size_t end = all.out.find('\n', begin);
      std::string message = all.out.substr(begin, end - begin);
      begin = end + 1;
      if (message.compare(0, 2, "{!") == 0) {
        ++without_text;
        continue;
      }
      ASSERT_TRUE(log.messages().count(message) == 1) << message;
      ASSERT_TRUE(met.insert(std::move(message)).second);
    }
    ASSERT_EQ(without_text, unprintable);
    ASSERT_EQ(lines, printed);
  }

  std::uint64_t seed_ = 0;
  std::mt19937_64 random_;
};

// The process that logged lives, but its sessions are over.
TEST_F(Mutations, ACutEndOfAProcessThatGoesOn) {
  LoggedFile log(100'000, 300, false);
  const Ran sound = run_steno({"verify", log.path()});
  EXPECT_EQ(sound.code, 0);
  EXPECT_EQ(sound.out.find("goes on"), std::string::npos) << sound.out;
  std::filesystem::resize_file(log.path(), log.sound().size() - 1000);
  const Ran cut = run_steno({"verify", log.path()});
  EXPECT_EQ(cut.code, 1);
  EXPECT_NE(cut.out.find("incomplete: "), std::string::npos) << cut.out;
  EXPECT_EQ(cut.out.find("goes on"), std::string::npos) << cut.out;
}

TEST_F(Mutations, OfAFile) {
  LoggedFile log(1'000'000, 300, true);
  mutate(log, mutations() - (mutations() + 49) / 50, false);
}

// Opened by its indexes, each of which covers some of it.
TEST_F(Mutations, OfALargeFile) {
  LoggedFile log(100'000'000, 4000, false);
  mutate(log, (mutations() + 49) / 50, true);
}

}  // namespace
}  // namespace steno::test
