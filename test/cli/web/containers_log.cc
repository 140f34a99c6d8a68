// containers_log DIRECTORY: logs whose processes and threads are told apart by little.
//   web1.steno     node1, process 1, threads 7000 .. 7003, all with the name "worker"
//   web2.steno     node2, else as web1: the first process of a container is 1 everywhere; one span of each of both is
//   of
//                  request 77
//   sidecar.steno  node1, process 1, threads 7000 and 7001 at the same times; 7001 gets another name
//   batch.steno    node3: thousands of drops and a lost record in the morning; no end in the evening, as after a kill
//   idle.steno     node4: one record, ends
#include <fstream>
#include <string>

#include "../../reader/file_builder.h"

namespace {

using steno::Level;
using steno::test::Args;
using steno::test::FileBuilder;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMorning = 1'795'852'800 * kSecond;  // 2026-11-28T08:00:00Z
constexpr std::uint64_t kHour = 3600 * kSecond;
constexpr std::uint64_t kAhead = 1'700'000'000;  // of node2's clock

FileBuilder& begin(FileBuilder& file, const char* host, const char* program, std::uint32_t pid, std::uint64_t id) {
  steno::format::SessionBlock session;
  session.pid = pid;
  session.session_id = id;
  session.start_wall = static_cast<std::int64_t>(kMorning);
  session.clock_kind = 3;
  session.program = program;
  session.host = host;
  session.steno_version = "0.1.0";
  file.session(session);
  file.site(16, Level::kInfo, "step {n}", "m", 10);
  file.site(17, Level::kInfo, "handle {request_id}: begin", "m", 20);
  file.site(18, Level::kInfo, "handle {request_id}: end, {duration} ns", "mm", 20);
  file.site_in_context(19, 17, "mm", {"span", "parent"});
  file.site_in_context(20, 18, "mm", {"span", "parent"});
  return file;
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string web(const char* host, std::uint64_t id, std::uint64_t records, std::uint64_t ahead, std::uint64_t span,
                std::uint64_t parent) {
  FileBuilder file;
  begin(file, host, "server", 1, id);
  for (std::uint32_t t = 0; t < 4; ++t) file.thread(t, t + 1, "worker", 7000 + t);
  for (std::uint32_t t = 0; t < 4; ++t) {
    for (std::uint64_t n = 0; n < records * (t + 1); ++n) {
      file.log(t, 16, kMorning + n * 30 * kSecond + t, Args().u64(n));
    }
    file.flush();
  }
  const std::uint64_t at = kMorning + kHour + ahead + (parent != 0 ? kSecond / 10 : 0);
  const std::uint64_t took = parent != 0 ? kSecond / 2 : kSecond;
  file.log(0, 19, at, Args().u64(77).u64(span).u64(parent));
  file.log(0, 20, at + took, Args().u64(77).u64(took).u64(span).u64(parent));
  return file.end().bytes();
}

std::string sidecar() {
  FileBuilder file;
  begin(file, "node1", "sidecar", 1, 0x33);
  file.thread(0, 1, "worker", 7000).thread(1, 2, "worker", 7001);
  for (std::uint64_t n = 0; n < 25; ++n) {
    if (n == 5) file.thread(1, 2, "flusher", 7001);
    file.log(0, 16, kMorning + n * 30 * kSecond + 7, Args().u64(n));
    file.log(1, 16, kMorning + n * 30 * kSecond + 8, Args().u64(n));
    if (n == 5 || n == 9) file.flush();
  }
  return file.end().bytes();
}

std::string batch() {
  FileBuilder file;
  begin(file, "node3", "batch", 300, 0x44);
  file.thread(0, 1, "main", 300);
  file.log(0, 16, kMorning, Args().u64(0));
  for (std::uint64_t n = 1; n <= 2500; ++n) {
    file.log(0, steno::wire::kSiteDropped, kMorning + n * kSecond, Args().u64(3).u64(kMorning + n * kSecond - 1));
    if (n % 500 == 0) file.flush();
  }
  file.skip(0, 1);
  file.log(0, 16, kMorning + 12 * kHour, Args().u64(1));
  file.flush();
  return file.bytes();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string directory = std::string(argv[1]) + "/";
  write(directory + "web1.steno", web("node1", 0x11, 10, 0, 0x1001, 0));
  write(directory + "web2.steno", web("node2", 0x22, 3, kAhead, 0x2002, 0x1001));
  write(directory + "sidecar.steno", sidecar());
  write(directory + "batch.steno", batch());
  FileBuilder idle;
  begin(idle, "node4", "idle", 400, 0x55);
  idle.thread(0, 1, "main", 400).log(0, 16, kMorning + kHour, Args().u64(0));
  write(directory + "idle.steno", idle.end().bytes());
}
