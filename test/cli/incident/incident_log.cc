// incident_log DIRECTORY SEED [DENSITY FILES]: the logs of a night on which something goes wrong, and the truth about
// each record.
//   web.1.steno .. web.6.steno   a server of some tenants, from 2026-11-28 02:00 to 03:00 UTC; or FILES of them
//   db.steno                     its store on a second host, whose clock is 1.7 s ahead
//   truth.jsonl                  one object a record: what the scripts compute their answers from
// With DENSITY there are so many times as many requests, and no truth: for measurements.
// The seed determines the tenant that is slow, the time of the deploy, the thread that stops, how many retries there
// are. The scripts are not told.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../../reader/file_builder.h"

namespace {

using steno::Level;
using steno::test::Args;
using steno::test::FileBuilder;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kNight = 1'795'831'200 * kSecond;  // 2026-11-28T02:00:00Z
constexpr std::uint64_t kLength = 3600 * kSecond;
constexpr std::uint64_t kAhead = 1'700'000'000;  // of the store's clock
constexpr std::uint32_t kThreads = 4;

struct Site {
  std::uint32_t id;
  Level level;
  const char* format;
  const char* types;
  std::uint32_t line;
};
constexpr Site kSites[] = {
    {16, Level::kInfo, "request {path} took {elapsed:.2f} ms", "Sd", 120},
    {17, Level::kWarn, "slow request {path} took {elapsed:.2f} ms", "Sd", 131},
    {18, Level::kError, "request failed: {reason}", "S", 140},
    {19, Level::kWarn, "retry {attempt} of {path}", "iS", 150},
    {20, Level::kNotice, "deployed {version}", "S", 20},
    {21, Level::kDebug, "queue has {depth} requests", "i", 88},
    {22, Level::kDebug, "sent query {query_id}", "m", 200},
    {23, Level::kDebug, "answer to {query_id} came", "m", 210},
    {24, Level::kDebug, "query {id} came", "m", 300},
    {25, Level::kDebug, "answered query {id}", "m", 310},
};
constexpr const char* kTenants[] = {"acme", "bolt", "crest", "delta", "ember"};
constexpr const char* kPaths[] = {"/orders", "/login", "/search"};
constexpr const char* kLevels[] = {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"};

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

// Records of one host, as a log and as truth.
class Host {
 public:
  Host(std::string name, std::string program, std::ofstream* truth)
      : name_(std::move(name)), program_(std::move(program)), truth_(truth) {}

  void begin(std::uint32_t pid, std::uint64_t id, std::uint64_t start) {
    builder_ = std::make_unique<FileBuilder>();
    pid_ = pid;
    steno::format::SessionBlock block;
    block.pid = pid;
    block.session_id = id;
    block.start_wall = static_cast<std::int64_t>(start);
    block.clock_kind = 3;
    block.program = program_;
    block.host = name_;
    block.steno_version = "0.1.0";
    builder_->session(block);
    for (const Site& site : kSites) {
      builder_->site(site.id, site.level, site.format, site.types, site.line);
      builder_->site_in_context(site.id + 100, site.id, "mS", {"request_id", "tenant"});
    }
    builder_->logger(1, "net.http").logger(2, "store");
    for (std::uint32_t t = 0; t < kThreads; ++t) {
      builder_->thread(t, t + 1, t == 3 ? "flusher" : "worker-" + std::to_string(t), 7000 + t);
    }
    sequences_.assign(kThreads, 0);
  }

  // `values`: JSON of the arguments, without braces.
  void log(std::uint32_t thread, std::uint32_t site, std::uint64_t at, Args args, const std::string& message,
           std::string values, std::uint16_t logger, std::uint64_t request, const char* tenant) {
    const Site& of = kSites[site - 16];
    const char* const loggers[] = {"", "net.http", "store"};
    if (tenant != nullptr) {
      args.u64(request).text(tenant);
      values += std::string(values.empty() ? "" : ",") + "\"request_id\":" + std::to_string(request) +
                ",\"tenant\":\"" + tenant + "\"";
    }
    builder_->log(thread, site + (tenant != nullptr ? 100 : 0), at, args, logger);
    *truth_ << "{\"ns\":" << at << ",\"level\":\"" << kLevels[static_cast<int>(of.level)] << "\",\"logger\":\""
            << loggers[logger] << "\",\"thread\":\"" << (thread == 3 ? "flusher" : "worker-" + std::to_string(thread))
            << "\",\"tid\":" << 7000 + thread << ",\"pid\":" << pid_ << ",\"program\":\"" << program_
            << "\",\"host\":\"" << name_ << "\",\"file\":\"src/server.cc\",\"line\":" << of.line
            << ",\"function\":\"serve\",\"format\":\"" << of.format << "\",\"message\":\"" << message
            << "\",\"sequence\":" << sequences_[thread]++ << ",\"args\":{" << values << "}}\n";
    if (++logged_ % 300 == 0) builder_->flush();
  }

  std::string end(bool killed) {
    builder_->flush();
    return killed ? builder_->bytes() : builder_->end().bytes();
  }

 private:
  std::string name_;
  std::string program_;
  std::ofstream* truth_;
  std::unique_ptr<FileBuilder> builder_;
  std::uint32_t pid_ = 0;
  std::uint64_t logged_ = 0;
  std::vector<std::uint64_t> sequences_;
};

class Night {
 public:
  Night(const std::string& directory, std::uint64_t seed, std::uint64_t density, std::uint64_t files)
      : directory_(directory),
        density_(density),
        files_(files),
        random_(seed),
        truth_(density == 1 ? directory + "/truth.jsonl" : "/dev/null"),
        web_("web1", "server", &truth_),
        db_("db1", "store", &truth_) {}

  void run() {
    const std::uint64_t deploy = kNight + 1800 * kSecond + random_() % 600 * kSecond;
    const std::uint64_t stuck = kNight + 2400 * kSecond + random_() % 300 * kSecond;
    const char* slow = kTenants[random_() % std::size(kTenants)];
    bool deployed = false;
    db_.begin(900, 0x900, kNight + kAhead);
    std::uint64_t at = kNight;
    for (std::uint64_t file = 0; file < files_; ++file) {
      web_.begin(deployed ? 4711 : 4242, 0x100 + file, at);
      while (at < kNight + (file + 1) * kLength / files_) {
        if (!deployed && at >= deploy) {
          deployed = true;
          web_.log(0, 20, at++, Args().text("v2"), "deployed v2", "\"version\":\"v2\"", 0, 0, nullptr);
        }
        request(at, deployed, slow, at < stuck);
        at += (500'000'000 + random_() % (5 * kSecond)) / density_;
      }
      write("web." + std::to_string(file + 1), web_.end(file == 4));
    }
    write("db", db_.end(false));
  }

 private:
  void request(std::uint64_t at, bool deployed, const char* slow, bool flushes) {
    const auto thread = static_cast<std::uint32_t>(random_() % 3);
    const char* const tenant = kTenants[random_() % std::size(kTenants)];
    const std::string path = kPaths[random_() % std::size(kPaths)];
    const bool is_slow = deployed && tenant == slow;
    const std::uint64_t id = ++requests_;
    double elapsed = static_cast<double>(1 + random_() % 80) / 4;
    if (is_slow) elapsed *= 20;
    if (random_() % 40 == 0) elapsed += 100;
    const std::uint64_t retries = is_slow ? random_() % 6 : random_() % 20 == 0 ? 1 : 0;
    const std::uint64_t step = 1'000'000 / density_;
    for (std::uint64_t i = 0; i < retries; ++i) {
      const auto n = static_cast<std::int32_t>(i + 1);
      web_.log(thread, 19, at + i * step, Args().i32(n).text(path), "retry " + std::to_string(n) + " of " + path,
               "\"attempt\":" + std::to_string(n) + ",\"path\":\"" + path + "\"", 1, id, tenant);
    }
    at += retries * step;
    const bool warns = elapsed > 90;
    web_.log(thread, warns ? 17 : 16, at, Args().text(path).f64(elapsed),
             (warns ? "slow request " : "request ") + path + " took " + number(elapsed) + " ms",
             "\"path\":\"" + path + "\",\"elapsed\":" + number(elapsed), 1, id, tenant);
    if (is_slow && random_() % 3 == 0) {
      web_.log(thread, 18, at + 500, Args().text("timeout"), "request failed: timeout", "\"reason\":\"timeout\"", 1, id,
               tenant);
    }
    if (flushes) {
      const auto depth = static_cast<std::int32_t>(random_() % 50);
      web_.log(3, 21, at + 900, Args().i32(depth), "queue has " + std::to_string(depth) + " requests",
               "\"depth\":" + std::to_string(depth), 0, 0, nullptr);
    }
    const double query = static_cast<double>(1 + random_() % 40) / 4;
    db_.log(thread, 16, at + kAhead + 1'000, Args().text("/query").f64(query),
            "request /query took " + number(query) + " ms", "\"path\":\"/query\",\"elapsed\":" + number(query), 2, id,
            tenant);
    ask(at + 2'000, thread, id);
  }

  // A query there and back: each step takes some time.
  void ask(std::uint64_t at, std::uint32_t thread, std::uint64_t id) {
    const std::string text = std::to_string(id);
    const auto log_id = [&](Host& host, std::uint32_t site, std::uint64_t when, const std::string& message,
                            const char* name) {
      host.log(thread, site, when, Args().u64(id), message, std::string("\"") + name + "\":" + text, 0, 0, nullptr);
    };
    const auto later = [&] { return at += (20'000 + random_() % 2'000'000) / density_; };
    log_id(web_, 22, at, "sent query " + text, "query_id");
    log_id(db_, 24, later() + kAhead, "query " + text + " came", "id");
    log_id(db_, 25, later() + kAhead, "answered query " + text, "id");
    log_id(web_, 23, later(), "answer to " + text + " came", "query_id");
  }

  void write(const std::string& name, const std::string& bytes) {
    std::ofstream(directory_ + "/" + name + ".steno", std::ios::binary) << bytes;
  }

  std::string directory_;
  const std::uint64_t density_;
  const std::uint64_t files_;
  std::mt19937_64 random_;
  std::ofstream truth_;
  Host web_;
  Host db_;
  std::uint64_t requests_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 5) return 2;
  const auto number = [&](int i, std::uint64_t otherwise) {
    return i < argc ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  Night(argv[1], number(2, 0), number(3, 1), number(4, 6)).run();
  return 0;
}
