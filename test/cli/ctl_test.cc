// steno ctl, on processes that log meanwhile.
#include <sys/prctl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "control/message.h"
#include "live_log.h"

namespace steno::test {
namespace {

class Ctl : public LiveLog {
 protected:
  // 'a': one of each; 'm': many; 'p': polls until something was done.
  static void act(char word) {
    static const steno::Logger http = steno::logger("net.http");
    if (word == 'a') {
      STENO_INFO("plain {}", 1);
      STENO_DEBUG("detail {}", 1);
      STENO_LOG_TO(http, DEBUG, "http {}", 1);
    }
    for (int i = 0; word == 'm' && i < 20'000; ++i) STENO_WARN("many {}", i);
    for (int i = 0; word == 'p' && i < 20'000 && !steno::poll(); ++i) ::usleep(1000);
  }

  Ran ctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"ctl", log()});
    return run_steno(std::move(arguments));
  }
  void expect_done(const std::vector<std::string>& arguments) {
    const Ran ran = ctl(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find(": done"), std::string::npos) << ran.out;
  }
  std::size_t count(const std::string& text) {
    const Ran ran = run_steno({"cat", "--format", "csv", log()});
    std::size_t n = 0;
    for (std::size_t at = 0; (at = ran.out.find(text, at)) != std::string::npos; ++at) ++n;
    return n;
  }
  std::string staging_of_child() {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(staging_)) {
      if (entry.is_regular_file() && entry.path().filename() == "session") return entry.path().parent_path().string();
    }
    return {};
  }
};

TEST_F(Ctl, LevelsChangeAtOnceAndAreListed) {
  start(act);
  tell('a');
  expect_done({"level", "net=debug"});
  tell('a');
  expect_done({"enable", "detail*"});
  expect_done({"disable", "ctl_test.cc"});  // its text comes first
  tell('a');
  const Ran listed = ctl({"list"});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_NE(listed.out.find("level   INFO\n"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("logger  DEBUG     net.http\n"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("on      DEBUG     "), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("off     INFO      "), std::string::npos) << listed.out;
  const Ran json = ctl({"list", "--json"});
  EXPECT_NE(json.out.find("\"level\":\"DEBUG\",\"enabled\":\"on\",\"format\":\"detail {}\"}\n"), std::string::npos);
  expect_done({"level", "reset"});
  tell('a');
  expect_done({"flush"});
  EXPECT_EQ(count("plain 1"), 3u);
  EXPECT_EQ(count("detail 1"), 1u);
  EXPECT_EQ(count("http 1"), 1u);
  const Ran stats = ctl({"stats", "--json"});
  EXPECT_NE(stats.out.find("\"records\":5,"), std::string::npos) << stats.out;
  const Ran metrics = ctl({"stats", "--prometheus"});
  EXPECT_EQ(metrics.code, 0) << metrics.err;
  EXPECT_NE(metrics.out.find("# TYPE steno_records_total counter\nsteno_records_total{pid=\""), std::string::npos)
      << metrics.out;
  EXPECT_NE(metrics.out.find("\"} 5\n"), std::string::npos) << metrics.out;
  EXPECT_NE(metrics.out.find("# TYPE steno_staging_bytes gauge\n"), std::string::npos) << metrics.out;
  EXPECT_NE(metrics.out.find("# TYPE steno_stalls_total counter\n"), std::string::npos) << metrics.out;
  EXPECT_NE(metrics.out.find("# TYPE steno_discarded_total counter\n"), std::string::npos) << metrics.out;
  EXPECT_NE(metrics.out.find("# TYPE steno_longest_lag_ns gauge\n"), std::string::npos) << metrics.out;
  EXPECT_NE(ctl({"stats", "--prometheus", "--json"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(staging_of_child() + "/control"));
  end();
}

TEST_F(Ctl, TheLogGoesOnInANewFile) {
  start(act);
  tell('a');
  expect_done({"rotate"});
  EXPECT_EQ(count("plain 1"), 0u);
  tell('a');
  expect_done({"flush"});
  EXPECT_EQ(count("plain 1"), 1u);
  end();
  std::vector<std::string> verify = {"verify", "--per-file"};
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(log()).parent_path())) {
    if (entry.path().extension() == ".steno") verify.push_back(entry.path().string());
  }
  EXPECT_EQ(verify.size(), 4u);
  const Ran verified = run_steno(verify);
  EXPECT_EQ(verified.code, 0) << verified.err;
  const std::size_t first = verified.out.find("complete: 1 record,");
  EXPECT_NE(verified.out.find("complete: 1 record,", first + 1), std::string::npos) << verified.out;
}

TEST_F(Ctl, DumpBringsWhatTheFlightRecorderHas) {
  steno::Options options;
  options.level = steno::Level::kDebug;
  options.recorder.below = steno::Level::kInfo;
  start(act, options);
  tell('a');
  expect_done({"flush"});
  EXPECT_EQ(count("plain 1"), 1u);
  EXPECT_EQ(count("detail 1"), 0u);
  expect_done({"dump"});
  EXPECT_EQ(count("detail 1"), 1u);
  EXPECT_EQ(count("http 1"), 1u);
  end();
  std::filesystem::remove(log());
  start(act);
  const Ran none = ctl({"dump"});
  EXPECT_NE(none.code, 0);
  EXPECT_NE(none.err.find("the session has no flight recorder (Options::recorder)"), std::string::npos)
      << none.out << none.err;
  end();
}

TEST_F(Ctl, WrongRulesAreRefusedAndTheOthersHold) {
  start(act);
  const Ran ran = ctl({"level", "debug,net=loud"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("rule 2, 'net=loud'"), std::string::npos) << ran.err;
  tell('a');
  expect_done({"flush"});
  EXPECT_EQ(count("detail 1"), 1u);
  EXPECT_EQ(ctl({"level"}).code, 2);
  EXPECT_EQ(ctl({}).code, 2);
  EXPECT_EQ(ctl({"list", "--timeout", "soon"}).code, 2);
  end();
}

TEST_F(Ctl, ARuleForNothingSaysSo) {
  const pid_t pid = start(act);
  tell('a');
  const std::string who = "steno: process " + std::to_string(pid) + ", " + log() + ": ";
  const auto said = [&](const std::string& rules) {
    const Ran ran = ctl({"level", rules});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find(": done"), std::string::npos) << ran.out;
    return ran.err;
  };
  EXPECT_EQ(said("net.htpp=debug"),
            who + "no logger is named 'net.htpp' yet; the rule waits for one; did you mean 'net.http'?\n");
  EXPECT_EQ(said("info,net=debug,net.http=info,ctl_test.cc=debug,plain*=trace,nosuch=inherit,reset"), "");
  EXPECT_EQ(said("nosuch.cc=debug"), who + "no statement is in a file 'nosuch.cc' yet; the rule waits for one\n");
  EXPECT_EQ(said("ctl_test.cc:1=debug"), who + "no statement is at ctl_test.cc:1 yet; the rule waits for one\n");
  EXPECT_EQ(ctl({"enable", "nosuch*"}).err,
            who + "no statement has a text like 'nosuch*' yet; the rule waits for one\n");
  end();
}

TEST_F(Ctl, LevelsOfSinksChange) {
  steno::Options options;
  options.path = log();
  steno::SinkOptions lines;
  lines.path = log() + ".txt";
  lines.pattern = "{message}";
  options.sinks = {lines};
  start(act, options);
  const std::string name = std::filesystem::path(lines.path).filename().string();
  expect_done({"level", "sink:" + name + "=error"});
  const Ran listed = ctl({"list"});
  EXPECT_NE(listed.out.find("sink    ERROR     " + name + "\n"), std::string::npos) << listed.out;
  EXPECT_NE(ctl({"list", "--json"}).out.find("\"sink\":\"" + name + "\",\"level\":\"ERROR\"}\n"), std::string::npos);
  tell('a');
  expect_done({"flush"});  // the sink has been shown it
  expect_done({"level", "sink:" + name + "=info"});
  tell('a');
  expect_done({"flush"});
  const Ran refused = ctl({"level", "sink:console=info"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("there is no sink 'console'; there is " + name), std::string::npos) << refused.err;
  end();
  std::ifstream file(lines.path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "plain 1\n");
  EXPECT_EQ(count("plain 1"), 2u);
}

TEST_F(Ctl, AllProcessesOfALogObeyAndAreListed) {
  const pid_t first = start(act);
  tell('a');  // from then on it has its logger
  const pid_t second = start(act);
  tell('a');
  const auto name_of = [this](pid_t pid) { return "process " + std::to_string(pid) + ", " + log(); };
  const auto has = [](const std::string& text, const std::string& part) { return text.find(part) != text.npos; };
  Ran ran = ctl({"level", "net=debug"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const pid_t pid : {first, second}) EXPECT_TRUE(has(ran.out, name_of(pid) + ": done\n")) << ran.out;
  ran = ctl({"list"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const pid_t pid : {first, second}) {
    const std::size_t at = ran.out.find(name_of(pid) + "\n");
    ASSERT_NE(at, std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("logger  DEBUG     net.http\n", at), std::string::npos) << ran.out;
  }
  // One alone, by its number.
  EXPECT_EQ(run_steno({"ctl", std::to_string(first), "level", "net=inherit"}).code, 0);
  EXPECT_TRUE(has(run_steno({"ctl", std::to_string(first), "list"}).out, "logger  INFO      net.http\n"));
  EXPECT_TRUE(has(run_steno({"ctl", std::to_string(second), "list"}).out, "logger  DEBUG     net.http\n"));
  ran = ctl({"stats", "--prometheus"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out.find("# TYPE steno_records_total counter\n"), ran.out.rfind("# TYPE steno_records_total"))
      << ran.out;
  for (const pid_t pid : {first, second}) {
    EXPECT_TRUE(has(ran.out, "steno_records_total{pid=\"" + std::to_string(pid) + "\"")) << ran.out;
  }
  // One that cannot answer keeps the other from nothing.
  ::kill(first, SIGSTOP);
  int status = 0;
  ASSERT_EQ(::waitpid(first, &status, WUNTRACED), first);
  ran = ctl({"level", "net=trace"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.out, name_of(second) + ": done\n");
  EXPECT_EQ(ran.err, "steno: " + name_of(first) + ": stopped\n");
  ::kill(first, SIGCONT);
}

TEST_F(Ctl, ProcessesThatCannotAnswer) {
  Ran ran = ctl({"list"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(ran.err.find("no running session"), std::string::npos) << ran.err;
  EXPECT_EQ(run_steno({"ctl", "999999999", "list"}).code, 3);
  const pid_t child = start(act);
  ::kill(child, SIGSTOP);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  ran = run_steno({"ctl", std::to_string(child), "list"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(ran.err.find("stopped"), std::string::npos) << ran.err;
  ::kill(child, SIGCONT);
  tell('a');
  kill();
  ran = ctl({"list"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(ran.err.find("died"), std::string::npos) << ran.err;
}

TEST_F(Ctl, AProcessWithoutAThreadOfStenoObeysWhenItPolls) {
  steno::Options options;
  options.path = log();
  options.scribe = steno::Scribe::kExternal;
  start(act, options);
  Ran ran = ctl({"--timeout", "100ms", "level", "debug"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(ran.err.find("answers only when it calls steno::poll()"), std::string::npos) << ran.err;
  Background asks({"ctl", log(), "--timeout", "60s", "level", "debug"});
  tell('p');
  EXPECT_EQ(asks.stop(0), 0) << asks.errors();
  kill();
}

class CtlOfScribe : public Ctl {
 protected:
  static constexpr int kProcesses = 5;

  explicit CtlOfScribe(const std::string& closed = "{stem}.{n}{ext}")
      : scribe_({"scribe", log(), "--flush", "3600", "--rotate-name", closed}) {
    steno::Options options;
    options.path = log();
    options.scribe = steno::Scribe::kExternal;
    for (int i = 0; i < kProcesses; ++i) {
      start(act, options);
      tell('a');
    }
    // Processes that it has not come to yet are asked one by one.
    const Ran first = ctl({"--timeout", "10s", "flush"});
    EXPECT_EQ(first.code, 0) << first.err << scribe_.errors();
  }
  // Checks that the request is reported once, for all.
  void expect_done_once(const std::string& request) {
    const Ran ran = ctl({"--timeout", "60s", request});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("process " + std::to_string(scribe_.pid()) + ", "), std::string::npos) << ran.out;
  }
  // The files of the log, the live one last, and the records of each.
  std::vector<std::size_t> records_of_files() {
    std::vector<std::size_t> records;
    for (const std::string& name : {log() + ".1", directory_ + "/app.1.steno", directory_ + "/app.2.steno", log()}) {
      if (!std::filesystem::exists(name)) continue;
      const Ran ran = run_steno({"cat", "--count", name});
      records.push_back(std::stoul("0" + ran.out));
    }
    return records;
  }
  void end_all() {
    for (int i = 0; i < kProcesses; ++i) end();
  }
  void expect_complete() {
    std::vector<std::string> arguments = {"verify"};
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      if (entry.path().filename().string().find(".steno") != std::string::npos)
        arguments.push_back(entry.path().string());
    }
    const Ran ran = run_steno(arguments);
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  }

  Background scribe_;
};

TEST_F(CtlOfScribe, OneRequestFlushesAndRotatesForAll) {
  expect_done_once("flush");
  std::string log_of_all;
  {
    std::ifstream in(log(), std::ios::binary);
    log_of_all.assign(std::istreambuf_iterator<char>(in), {});
  }
  // The copy has the file's records, without those that readers would find in the rings.
  const std::string copy = directory_ + "/copy";
  { std::ofstream(copy, std::ios::binary) << log_of_all; }
  EXPECT_EQ(run_steno({"cat", "--count", copy}).out, std::to_string(kProcesses) + "\n");
  std::filesystem::remove(copy);
  expect_done_once("rotate");
  EXPECT_EQ(records_of_files(), (std::vector<std::size_t>{kProcesses, 0}));
  tell('a');
  expect_done_once("rotate");
  EXPECT_EQ(records_of_files(), (std::vector<std::size_t>{kProcesses, 1, 0}));
  tell('m');
  end_all();
  EXPECT_EQ(records_of_files(), (std::vector<std::size_t>{kProcesses, 1, 20'000}));
  scribe_.stop(SIGTERM);
  expect_complete();
}

// logrotate's recipe in docs/guide/rotation.md relies on this: after a flush, nothing is added to the renamed file.
TEST_F(CtlOfScribe, FlushFinishesAFileThatWasRenamed) {
  expect_done_once("flush");
  tell('m');
  std::filesystem::rename(log(), log() + ".1");
  expect_done_once("flush");
  const auto size = std::filesystem::file_size(log() + ".1");
  EXPECT_EQ(records_of_files(), (std::vector<std::size_t>{kProcesses + 20'000, 0}));
  tell('a');
  expect_done_once("flush");
  end_all();
  scribe_.stop(SIGTERM);
  EXPECT_EQ(std::filesystem::file_size(log() + ".1"), size);
  EXPECT_EQ(records_of_files(), (std::vector<std::size_t>{kProcesses + 20'000, 1}));
  expect_complete();
}

// The closed file's name is too long for a file system.
class CtlOfScribeThatCannotRename : public CtlOfScribe {
 protected:
  CtlOfScribeThatCannotRename() : CtlOfScribe("{stem}" + std::string(300, 'x') + "{n}{ext}") {}
};

TEST_F(CtlOfScribeThatCannotRename, SaysWhy) {
  const Ran ran = ctl({"--timeout", "60s", "rotate"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("cannot rename"), std::string::npos) << ran.err;
  tell('a');
  expect_done_once("flush");
  EXPECT_EQ(records_of_files(), (std::vector<std::size_t>{kProcesses + 1}));
  end_all();
}

TEST_F(Ctl, NothingIsLostUnderManyRequests) {
  start(act);
  std::vector<std::unique_ptr<Background>> asking;
  constexpr int kRequests = 100;
  for (int i = 0; i < 3; ++i) {
    asking.push_back(std::make_unique<Background>(std::vector<std::string>{"ctl", log(), "--timeout", "60s", "list"}));
    tell('m');
  }
  for (auto& one : asking) EXPECT_EQ(one->stop(0), 0) << one->errors();
  for (int i = 0; i < kRequests; ++i) {
    const std::string rule = i % 2 == 0 ? "net=debug,other.cc=off" : "net=inherit,nothing*=off";
    ASSERT_EQ(ctl({"--timeout", "60s", "level", rule}).code, 0);
    if (i % 10 == 0) tell('m');
  }
  end();
  const Ran counted = run_steno({"cat", "--count", log()});
  EXPECT_EQ(counted.out, std::to_string((3 + kRequests / 10) * 20'000) + "\n") << counted.err;
}

TEST_F(Ctl, HostileRequestsAreIgnored) {
  start(act);
  const std::string control = staging_of_child() + "/control";
  const int session = ::open((staging_of_child() + "/session").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(session, 0);
  const auto ask_with = [&](const std::string& bytes, std::uint32_t number) {
    { std::ofstream(control, std::ios::binary) << bytes; }
    ASSERT_EQ(::chmod(control.c_str(), 0600), 0);
    ASSERT_EQ(::pwrite(session, &number, sizeof number, 264), ssize_t(sizeof number));
    expect_done({"level", "net=info"});  // in its own words it still hears
  };
  ask_with("", 100);
  ask_with(std::string(1 << 20, '\xff'), 200);
  control::Header header = {control::kMagic, 300, 0, UINT64_MAX, 0};
  ask_with(std::string(reinterpret_cast<const char*>(&header), sizeof header) + "level trace", 300);
  header = {control::kMagic, 400, 0, 11, 7};
  ask_with(std::string(reinterpret_cast<const char*>(&header), sizeof header) + "level trace", 400);
  std::filesystem::remove(control);
  std::filesystem::create_directory(control);
  EXPECT_EQ(ctl({"--timeout", "100ms", "list"}).code, 3);
  std::filesystem::remove(control);
  ASSERT_EQ(::mkfifo(control.c_str(), 0600), 0);
  EXPECT_EQ(ctl({"--timeout", "100ms", "list"}).code, 3);
  std::filesystem::remove(control);
  ::close(session);
  tell('a');
  expect_done({"flush"});
  EXPECT_EQ(count("plain 1"), 1u);
  EXPECT_EQ(count("detail 1"), 0u);
  end();
}

TEST_F(Ctl, AForkedChildIsAskedByItself) {
  const pid_t parent = start([](char word) {
    static pid_t child = 0;
    static int ready[2];
    static int go[2];
    char byte = 0;
    if (word == 'f') let_scribe_rest();
    if (word == 'f' && ::pipe(ready) == 0 && ::pipe(go) == 0 && (child = ::fork()) == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      STENO_INFO("begin");
      if (::write(ready[1], &byte, 1) != 1 || ::read(go[0], &byte, 1) != 1) std::_Exit(1);
      STENO_DEBUG("detail of the {}", "child");
      steno::stop();
      std::_Exit(0);
    }
    if (word == 'f' && ::read(ready[0], &byte, 1) != 1) std::_Exit(1);
    if (word != 'g') return;
    STENO_DEBUG("detail of the {}", "parent");
    if (::write(go[1], &byte, 1) != 1 || ::waitpid(child, nullptr, 0) != child) std::_Exit(1);
  });
  tell('f');
  std::string child;
  std::istringstream list(run_steno({"ps", "--json", "--running", "--root", staging_}).out);
  for (std::string line; std::getline(list, line);) {
    if (line.find("\"path\":\"" + log() + "\"") == std::string::npos) continue;  // another test's
    const std::string pid = line.substr(7, line.find(',') - 7);
    if (pid != std::to_string(parent)) child = pid;
  }
  ASSERT_NE(child, "");
  EXPECT_EQ(run_steno({"ctl", child, "level", "debug"}).code, 0);
  tell('g');
  end();
  EXPECT_EQ(count("detail of the child"), 1u);
  EXPECT_EQ(count("detail of the parent"), 0u);
}

}  // namespace
}  // namespace steno::test
