// Configuration files: what they may say, and what they may not.
#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "../sanitizers.h"
#include "config_fixture.h"

namespace steno_test {
namespace {

// Everything that a file can say, with other values than the defaults.
constexpr const char* kAll = R"(path = "app.steno"
console = true
level = "debug"
ring_bytes = "1 MiB"
staging_limit = 67108864
when_full = "drop"
block_at_most = "forever"
clock = "wall"
flush_interval = "2s"
flush_level = "critical"
sync = "on_level"
sync_level = "warn"
sync_interval = "1m"
zstd_level = 3
keep_up = false
stop_waits = false
crash_record = true
scribe = "thread"
scribe_thread = false
scribe_cpu = 1
scribe_nice = -4
scribe_wait = "yield"
staging_directory = "/dev/shm"
file_mode = "0640"

[levels]
"net.http" = "trace"
net.tcp = "warn"
"retry*" = "off"

[when_full_at]
error = "block"

[recorder]
below = "debug"
bytes = "1 MiB"
trigger = "critical"
records = 1000
time = "30s"

[rotation]
max_bytes = "1 GiB"
when = "daily 03:30"
local_time = true
on_start = true
name = "{stem}.{n}{ext}"
keep = 14
keep_for = "7d"
keep_bytes = "10 GiB"

[[sinks]]
path = "app.log"
file_mode = "0644"
level = "warn"
logger = "net"
pattern = "{level} {message}"
local_time = true
colour = "never"
max_rate = 20
queue_bytes = "1 MiB"
when_full = "block"
rotation = { max_bytes = 1048576 }

[[sinks]]
format = "json"
syslog = { address = "udp://host:514", tls = { ca_file = "ca.pem", peer_name = "logs", cert_file = "app.pem", key_file = "app.key" }, facility = "local3", format = "rfc3164", app_name = "app", structured_data = "-", max_bytes = 1024, retry_for = "1m" }

[[sinks]]
journal = { address = "local", facility = "daemon", app_name = "app", argument_prefix = "X_", retry_for = "500ms" }

[[sinks]]
console = "stdout"
)";

TEST_F(ConfigTest, EveryOptionHasItsKey) {
  steno::Options o;
  const auto file = steno::api::read_config_file(write(kAll), &o);
  ASSERT_TRUE(file.ok()) << file.status().message();
  using namespace std::chrono_literals;
  EXPECT_EQ(o.path, "app.steno");
  EXPECT_TRUE(o.console);
  EXPECT_EQ(o.level, steno::Level::kDebug);
  EXPECT_EQ(o.levels, "net.http=trace,net.tcp=warn,retry*=off");
  EXPECT_EQ(o.ring_bytes, 1u << 20);
  EXPECT_EQ(o.staging_limit, 1u << 26);
  EXPECT_EQ(o.when_full, steno::WhenFull::kDrop);
  EXPECT_EQ(o.when_full_at, (std::map<steno::Level, steno::WhenFull>{{steno::Level::kError, steno::WhenFull::kBlock}}));
  EXPECT_EQ(o.block_at_most, steno::kForever);
  EXPECT_EQ(o.clock, steno::Clock::kWall);
  EXPECT_EQ(o.flush_interval, 2s);
  EXPECT_EQ(o.flush_level, steno::Level::kCritical);
  EXPECT_EQ(o.sync, steno::Sync::kOnLevel);
  EXPECT_EQ(o.sync_level, steno::Level::kWarn);
  EXPECT_EQ(o.sync_interval, 1min);
  EXPECT_EQ(o.zstd_level, 3);
  EXPECT_FALSE(o.keep_up);
  EXPECT_FALSE(o.stop_waits);
  EXPECT_TRUE(o.crash_record);
  EXPECT_FALSE(o.scribe_thread);
  EXPECT_EQ(o.scribe_cpu, 1);
  EXPECT_EQ(o.scribe_nice, -4);
  EXPECT_EQ(o.scribe_wait, steno::ScribeWait::kYield);
  EXPECT_EQ(o.staging_directory, "/dev/shm");
  EXPECT_EQ(o.file_mode, 0640u);
  EXPECT_EQ(o.sinks[0].file_mode, 0644u);
  EXPECT_EQ(o.sinks[0].max_rate, 20);
  EXPECT_EQ(o.recorder.below, steno::Level::kDebug);
  EXPECT_EQ(o.recorder.bytes, std::size_t{1} << 20);
  EXPECT_EQ(o.recorder.trigger, steno::Level::kCritical);
  EXPECT_EQ(o.recorder.records, 1000u);
  EXPECT_EQ(o.recorder.time, 30s);
  EXPECT_EQ(o.rotation.max_bytes, 1u << 30);
  EXPECT_EQ(o.rotation.when, "daily 03:30");
  EXPECT_TRUE(o.rotation.local_time && o.rotation.on_start);
  EXPECT_EQ(o.rotation.name, "{stem}.{n}{ext}");
  EXPECT_EQ(o.rotation.keep, 14u);
  EXPECT_EQ(o.rotation.keep_for, 24h * 7);
  EXPECT_EQ(o.rotation.keep_bytes, std::uint64_t{10} << 30);
  ASSERT_EQ(o.sinks.size(), 4u);
  EXPECT_EQ(o.sinks[0].path, "app.log");
  EXPECT_EQ(o.sinks[0].level, steno::Level::kWarn);
  EXPECT_EQ(o.sinks[0].logger, "net");
  EXPECT_EQ(o.sinks[0].pattern, "{level} {message}");
  EXPECT_TRUE(o.sinks[0].local_time);
  EXPECT_EQ(o.sinks[0].colour, steno::Colour::kNever);
  EXPECT_EQ(o.sinks[0].queue_bytes, 1u << 20);
  EXPECT_EQ(o.sinks[0].when_full, steno::WhenFull::kBlock);
  EXPECT_EQ(o.sinks[0].rotation.max_bytes, 1u << 20);
  EXPECT_EQ(o.sinks[1].format, steno::LineFormat::kJson);
  EXPECT_EQ(o.sinks[1].syslog.address, "udp://host:514");
  EXPECT_EQ(o.sinks[1].syslog.tls.ca_file, "ca.pem");
  EXPECT_EQ(o.sinks[1].syslog.tls.peer_name, "logs");
  EXPECT_EQ(o.sinks[1].syslog.tls.cert_file, "app.pem");
  EXPECT_EQ(o.sinks[1].syslog.tls.key_file, "app.key");
  EXPECT_EQ(o.sinks[1].syslog.facility, steno::Facility::kLocal3);
  EXPECT_EQ(o.sinks[1].syslog.format, steno::SyslogFormat::kRfc3164);
  EXPECT_EQ(o.sinks[1].syslog.app_name, "app");
  EXPECT_EQ(o.sinks[1].syslog.structured_data, "-");
  EXPECT_EQ(o.sinks[1].syslog.max_bytes, 1024u);
  EXPECT_EQ(o.sinks[1].syslog.retry_for, 1min);
  EXPECT_EQ(o.sinks[2].journal.address, "local");
  EXPECT_EQ(o.sinks[2].journal.facility, steno::Facility::kDaemon);
  EXPECT_EQ(o.sinks[2].journal.app_name, "app");
  EXPECT_EQ(o.sinks[2].journal.argument_prefix, "X_");
  EXPECT_EQ(o.sinks[2].journal.retry_for, 500ms);
  EXPECT_EQ(o.sinks[3].console, steno::Console::kStdout);
}

TEST_F(ConfigTest, MistakesAreNamedWithTheirPlace) {
  const std::map<const char*, const char*> problems = {
      {"levl = \"info\"", "1:8: there is no option 'levl'; did you mean 'level'?"},
      {"\n[rotation]\nkep = 3", "3:7: there is no option 'rotation.kep'; did you mean 'keep'?"},
      {"[[sinks]]\npath = \"x\"\n[[sinks]]\nquue_bytes = 1",
       "4:14: there is no option 'sinks[1].quue_bytes'; did you mean 'queue_bytes'?"},
      {"path = 3", "1:8: path must be a string"},
      {"console = \"yes\"", "1:11: console is 'yes'; it must be true or false"},
      {"level = \"inof\"",
       "1:9: level is 'inof'; it must be the name of a level: trace, debug, info, notice, warn, "
       "error, critical or off"},
      {"when_full = \"wait\"", "1:13: when_full is 'wait'; it must be block or drop"},
      {"[when_full_at]\nwarn = true", "2:8: when_full_at.warn must be block or drop"},
      {"when_full_at = 3", "1:16: when_full_at must be a table"},
      {"ring_bytes = \"8 megs\"",
       "1:14: ring_bytes is '8 megs'; it must be a number of bytes, or as \"64 KiB\", \"8 MiB\", "
       "\"100 MB\""},
      {"ring_bytes = \"8796093022208 MB\"",
       "1:14: ring_bytes is '8796093022208 MB'; it must be a number of bytes, or as \"64 KiB\", \"8 MiB\", "
       "\"100 MB\""},
      {"ring_bytes = -1",
       "1:14: ring_bytes is -1; it must be a number of bytes, or as \"64 KiB\", \"8 MiB\", \"100 MB\""},
      {"ring_bytes = 1.5", "1:14: ring_bytes must be a number of bytes, or as \"64 KiB\", \"8 MiB\", \"100 MB\""},
      {"flush_interval = 5", "1:18: flush_interval must be a time as \"250ms\", \"5s\", \"10m\", \"2h\", \"7d\""},
      {"flush_interval = \"forever\"",
       "1:18: flush_interval is 'forever'; it must be a time as \"250ms\", \"5s\", \"10m\", \"2h\", \"7d\""},
      {"zstd_level = 20", "1:14: zstd_level is 20; it must be a whole number, -1 to 19"},
      {"scribe_cpu = \"one\"", "1:14: scribe_cpu is 'one'; it must be a whole number, -1 to 4095"},
      {"scribe_nice = 20", "1:15: scribe_nice is 20; it must be a whole number, -20 to 19"},
      {"sync = \"always\"", "1:8: sync is 'always'; it must be never, each_block, on_level or interval"},
      {"clock = \"user\"", "1:9: clock is 'user'; it must be best, wall or coarse"},
      {"scribe = 1", "1:10: scribe must be thread or external"},
      {"file_mode = \"rw\"", "1:13: file_mode is 'rw'; it must be permissions as 0o640 or \"0640\", up to 0o777"},
      {"levels = 3", "1:10: levels must be rules, or a table: \"net.http\" = \"debug\""},
      {"levels = { net = 1 }", "1:1: levels must hold names of levels: \"net.http\" = \"debug\""},
      {"levels = [1]", "1:1: levels must hold rules as \"net.http=debug\""},
      {"rotation = true", "1:12: rotation must be a table"},
      {"sinks = \"app.log\"", "1:9: sinks must be tables: [[sinks]]"},
      {"sinks = [1]", "1:10: sinks[0] must be a table"},
      {"[[sinks]]\nsyslog = \"local\"", "2:10: sinks[0].syslog must be a table"},
      {"[[sinks]]\nsyslog = { facility = \"local9\" }", nullptr},
      {"[[sinks]]\njournal.facility = 3", nullptr},
      {"[[sinks]]\nformat = \"xml\"", "2:10: sinks[0].format is 'xml'; it must be text, json, csv or logfmt"},
      {"[[sinks]]\ncolour = 1", "2:10: sinks[0].colour must be auto, never or always"},
      {"[[sinks]]\nconsole = \"tty\"", "2:11: sinks[0].console is 'tty'; it must be stderr or stdout"},
      {"path = \"a\"\nzstd_level = \"x\"\nlevel = 7",
       "2:14: zstd_level is 'x'; it must be a whole number, -1 to 19; 3:9: level must be the name of a level: trace, "
       "debug, info, notice, warn, error, critical or off"}};
  for (const auto& [text, problem] : problems) {
    if (problem != nullptr) {
      EXPECT_EQ(problem_of(text), problem) << text;
    } else {
      EXPECT_NE(problem_of(text).find("facility"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(problem_of("level = \"info").find("1:"), 0u) << problem_of("level = \"info");
  EXPECT_EQ(problem_of("level = 1\nlevel = 2").find("2:"), 0u);
  EXPECT_NE(problem_of("levels = \"net=loud\"").find("loud"), std::string::npos);
}

// An error of several options together is named with its place too.
TEST_F(ConfigTest, ImpossibleValuesAreNamedWithTheirPlace) {
  const auto refusal = [&](const std::string& text) {
    steno::Options options;
    options.path = path();
    options.config = write(text);
    const steno::Status status = steno::try_start(options);
    if (status.ok()) steno::stop();
    return status.message();
  };
  const std::string file = path("steno.toml");
  EXPECT_EQ(refusal("\nring_bytes = \"2 GiB\""), file + ":2:14: ring_bytes is 2147483648; the maximum is 1 GiB");
  EXPECT_EQ(refusal("flush_level = \"info\""), file + ":1:15: flush_level and sync_level must be WARN or above");
  EXPECT_EQ(refusal("[[sinks]]\npath = \"x\"\nqueue_bytes = 1"),
            file + ":3:15: a sink: queue_bytes is 1; it must be 64 KiB to 1 GiB");
  EXPECT_EQ(refusal("[[sinks]]\nsyslog.address = \"host\"").find(file + ":2:18: a sink: syslog: the address 'host' "),
            0u);
  EXPECT_EQ(refusal("[rotation]\nwhen = \"sometimes\"").find(file + ":2:8: "), 0u);
  std::filesystem::remove(file);
  steno::Options options;
  options.config = file;
  EXPECT_EQ(steno::try_start(options).message(), "cannot read " + file + ": No such file or directory");
}

// Whatever a file holds, it is read or refused with a place.
TEST_F(ConfigTest, MutatedFilesAreReadOrRefused) {
  std::mt19937_64 random(17);
  const std::string all = kAll;
  int read = 0;
  const int rounds = steno::test::sampled(600);
  for (int i = 0; i < rounds; ++i) {
    std::string text = all;
    for (std::uint64_t n = random() % 4; n != 0; --n) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        case 2:
          text.insert(at, all.substr(random() % all.size(), random() % 30));
          break;
        default:
          text.insert(at, std::string(random() % 300, "[{\"'\n"[random() % 5]));
      }
    }
    const std::string problem = problem_of(text);
    read += problem.empty() ? 1 : 0;
    if (!problem.empty()) {
      EXPECT_NE(problem.find(": "), std::string::npos) << problem;
      EXPECT_EQ(problem.find_first_not_of("0123456789"), problem.find(':')) << problem;
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, rounds);
}

TEST_F(ConfigTest, SizesAreWrittenAsPeopleWriteThem) {
  const std::vector<std::pair<std::string, std::uint64_t>> cases = {
      {"100MB", 100u << 20},
      {"100 mb", 100u << 20},
      {"1 GB", 1u << 30},
      {"2T", std::uint64_t{2} << 40},
      {"8 kB", 8192},
      {"64KiB", 65'536},
      {"1 gib", 1u << 30},
      {"512M", 512u << 20},
      {"7 B", 7},
      {"7", 7},
      {"8796093022207MB", std::uint64_t{8796093022207} << 20}};
  for (const auto& [text, bytes] : cases) {
    steno::Options options;
    const auto file = steno::api::read_config_file(write("[rotation]\nmax_bytes = \"" + text + "\"\n"), &options);
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(options.rotation.max_bytes, bytes) << text;
  }
}

TEST_F(ConfigTest, AnApplicationsOwnFileHasATable) {
  const std::string text = "title = \"shop\"\n[database]\nhost = \"db\"\n[steno]\npath = \"" + path("shop.steno") +
                           "\"\n[steno.rotation]\nwhen = \"midnight\"\n[[steno.sinks]]\nconsole = \"stdout\"\n";
  steno::Options options;
  const auto file = steno::api::read_config_file(write(text), &options);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(options.path, path("shop.steno"));
  EXPECT_EQ(options.rotation.when, "midnight");
  EXPECT_EQ(options.sinks.size(), 1u);
  EXPECT_EQ(file->settings.count("path"), 1u);
  EXPECT_EQ(file->settings.count("database.host"), 0u);

  EXPECT_EQ(problem_of("[steno]\nlevl = \"info\"\n[database]\nhost = 1"),
            "2:8: there is no option 'levl'; did you mean 'level'?");
  EXPECT_EQ(problem_of("steno = 1").rfind("1:9: there is no option 'steno'", 0), 0u);
}

TEST_F(ConfigTest, LevelsOfAnApplicationsOwnFileChangeWhileItRuns) {
  const auto text = [&](const std::string& level) {
    return "[shop]\nopen = true\n[steno]\npath = \"" + path() + "\"\nlevel = \"" + level + "\"\n";
  };
  write(text("warn"));
  ASSERT_TRUE(steno::start_from_file(path("steno.toml")));
  EXPECT_EQ(steno::level(), steno::Level::kWarn);
  write(text("info"));
  for (int i = 0; i < 6000 && steno::level() != steno::Level::kInfo; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(steno::level(), steno::Level::kInfo);
}

TEST_F(ConfigTest, FileStartsTheSessionAndTheEnvironmentHasTheLastWord) {
  write("path = \"" + path("first.steno") + "\"\nlevel = \"warn\"\n");
  ASSERT_TRUE(steno::start_from_file(path("steno.toml")));
  STENO_INFO("not this");
  STENO_WARN("this");
  EXPECT_FALSE(steno::start_from_file(path("steno.toml")));  // it runs
  steno::stop();
  EXPECT_EQ(read_log(path("first.steno")).rows.size(), 1u);

  setenv("STENO_CONFIG", write("path = \"" + path("second.steno") + "\"\nlevel = \"error\"\n", "other.toml").c_str(),
         1);
  ASSERT_TRUE(steno::start_from_file(path("steno.toml")));
  STENO_WARN("not this");
  STENO_ERROR("this");
  steno::stop();
  EXPECT_EQ(read_log(path("second.steno")).rows.size(), 1u);
}

}  // namespace
}  // namespace steno_test
