// A test that asserts on what a program logs: on statements, levels and arguments rather than on lines of text.
#include <steno/log.h>
#include <steno/reader.h>
#include <steno/session.h>

#include <cstdio>
#include <string>
#include <vector>

// What is tested.
bool withdraw(int account, int balance, int amount) {
  if (amount > balance) {
    STENO_WARN("account {account} has {balance}, not {amount}", account, balance, amount);
    return false;
  }
  STENO_INFO("paid {amount} to {account}", amount, account);
  return true;
}

struct Logged {
  steno::Level level;
  std::string format;
  std::string message;
  std::vector<long> arguments;
};

// All that the default session has logged by now.
std::vector<Logged> logged(const std::string& path) {
  std::vector<Logged> all;
  if (!steno::flush().ok()) return all;
  auto log = steno::LogReader::open({path});
  if (!log.ok()) return all;
  log->for_each([&](const steno::Record& record) {
    Logged one = {record.level(), std::string(record.site().format), record.message(), {}};
    for (std::size_t i = 0; i < record.argument_count(); ++i) {
      one.arguments.push_back(static_cast<long>(record.argument(i).as_int64()));
    }
    all.push_back(std::move(one));
  });
  return all;
}

int failures = 0;

void expect(bool holds, const char* what) {
  std::printf("%s: %s\n", holds ? "passed" : "FAILED", what);
  failures += !holds;
}

int main() {
  const std::string path = "log_test.steno";
  std::remove(path.c_str());  // a log is appended to
  if (!steno::start(path)) return 1;

  withdraw(7, 100, 60);
  expect(logged(path).back().message == "paid 60 to 7", "a payment is logged");

  withdraw(7, 40, 60);
  const Logged refused = logged(path).back();
  expect(refused.level == steno::Level::kWarn, "a refusal is a warning");
  expect(refused.format == "account {account} has {balance}, not {amount}", "of its statement");
  expect(refused.arguments == std::vector<long>{7, 40, 60}, "with account, balance and amount");
  return failures;
}
