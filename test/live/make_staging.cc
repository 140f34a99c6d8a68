// make_staging DIRECTORY: writes the staging directories of spec/vectors/staging that are not there yet.
#include <functional>
#include <iostream>

#include "staging_builder.h"

namespace steno::test {
namespace {

constexpr std::uint64_t kT = FileBuilder::kStart;

// Two statements, and a ring of a thread that has logged some.
StagingBuilder plain() {
  StagingBuilder staging;
  staging.site(16, Level::kInfo, "number {}", "i").site(17, Level::kWarn, "{name} of {}", "Sm");
  staging.ring().thread(1, 1001, "main").log(16, kT + 1, Args().i32(0)).log(17, kT + 2, Args().text("text").u64(1));
  return staging;
}

void plain_two_rings(StagingBuilder& staging) {
  staging.ring().thread(2, 1002, "").log(16, kT + 3, Args().i32(2)).log(17, kT + 4, Args().null_text().u64(3));
}

void wrapped(StagingBuilder& staging) {
  RingBuilder& ring = staging.ring();
  ring.thread(2, 1002, "worker");
  while (ring.header.tail < ring.header.capacity - 100) ring.log(16, kT + ring.header.tail, Args().i32(-1));
  ring.release((ring.header.tail - 40) / 24, 2, 1002, "worker");
  for (int i = 0; i < 8; ++i)
    ring.log(17, kT + 5000, Args().text("behind the wrap").u64(static_cast<std::uint64_t>(i)));
}

// Its first lap is released in part, and it goes on in a larger extent.
void grown(StagingBuilder& staging) {
  RingBuilder& ring = staging.ring();
  ring.thread(2, 1002, "worker");
  while (ring.header.tail < ring.header.capacity / 2) ring.log(16, kT + ring.header.tail, Args().i32(-1));
  ring.release((ring.header.tail - 40) / 24, 2, 1002, "worker");
  int i = 0;
  while (ring.header.tail < ring.header.capacity - 100) ring.log(16, kT + 5000, Args().i32(i++));
  const std::uint64_t rest = ring.header.capacity - ring.header.tail;
  ring.raw({wire::kSitePad, static_cast<std::uint16_t>(rest / 8), 0}, rest);
  ring.grow(4 * ring.header.capacity);
  for (; i < 300; ++i) ring.log(16, kT + 6000, Args().i32(i));
}

// Drops that a record reports, and some that are not reported yet.
void drops(StagingBuilder& staging) {
  RingBuilder& ring = staging.ring();
  ring.thread(2, 1002, "worker").log(wire::kSiteDropped, kT + 3, Args().u64(12).u64(kT + 2));
  ring.log(16, kT + 4, Args().i32(13)).header.dropped = 17;
  ring.header.dropping_since = kT + 4;
}

// Its consumer had announced a record of its own when both died.
void announced(StagingBuilder& staging) {
  RingBuilder& ring = staging.ring();
  ring.thread(2, 1002, "worker").log(16, kT + 3, Args().i32(2)).release(1, 2, 1002, "worker");
  ring.header.dropped = 5;
  ring.header.dropping_since = kT + 4;
  ring.header.released[ring.header.releases % 2].announced = 5 << 2 | wire::kSiteDropped;
}

void context(StagingBuilder& staging) {
  RingBuilder& ring = staging.ring();
  ring.thread(2, 1002, "worker").context("request_id", 7).log(16, kT + 3, Args().i32(2)).release(1, 2, 1002, "worker");
  const std::string bytes = std::string("\1m\012request_id\7", 14) + std::string(7, '\0');
  ring.header.contexts[1].size = static_cast<std::uint32_t>(bytes.size());
  std::memcpy(ring.header.contexts[1].bytes, bytes.data(), bytes.size());
  ring.header.released[ring.header.releases % 2].slots = ring::kHasContext | ring::kContextSlot;
  ring.log(17, kT + 4, Args().text("still").u64(7)).context("request_id", 8).log(16, kT + 5, Args().i32(8));
  ring.context("", 0).log(16, kT + 6, Args().i32(0));
}

void unknown_protocol_site(StagingBuilder& staging) {
  RingBuilder& ring = staging.ring();
  ring.thread(2, 1002, "worker").log(16, kT + 3, Args().i32(2)).record(15, kT + 4, "whatever a later version says");
  ring.raw({14, 1, 0}, 8);
  ring.log(16, kT + 5, Args().i32(3));
}

void unknown_kind_of_ring(StagingBuilder& staging) {
  staging.ring().thread(2, 1002, "recorder").log(16, kT + 3, Args().i32(2)).header.kind = 2;
}

// A flight recorder that has some of what another ring has for it, and was to be told so.
void recorder(StagingBuilder& staging) {
  staging.site(18, Level::kDebug, "detail {}", "i");
  staging.session.recorder_below = static_cast<std::uint32_t>(Level::kInfo);
  RingBuilder& ring = staging.ring();
  ring.thread(2, 1002, "worker").log(16, kT + 3, Args().i32(2)).log(18, kT + 4, Args().i32(3));
  ring.log(18, kT + 5, Args().i32(4));
  const std::uint64_t taken = ring.header.tail;
  ring.log(16, kT + 6, Args().i32(5)).log(18, kT + 7, Args().i32(6)).log(17, kT + 8, Args().text("last").u64(7));
  RingBuilder& recorder = staging.ring();
  recorder.header.kind = ring::kRecorderRing;
  recorder.thread(3, 1003, "").log(18, kT, Args().i32(0)).log(wire::kSiteTaken, 0, Args().u64(0).u64(48));
  recorder.thread(2, 1002, "worker").log(18, kT + 4, Args().i32(3)).log(18, kT + 5, Args().i32(4));
  recorder.log(wire::kSiteTaken, 0, Args().u64(1).u64(taken));
  recorder.header.released[0].discards = 12;
}

void damaged_record(StagingBuilder& staging) {
  RingBuilder& ring = staging.ring();
  ring.thread(2, 1002, "worker").log(16, kT + 3, Args().i32(2)).raw({16, 200, 0}, 24);
  ring.log(16, kT + 5, Args().i32(3));
}

void unknown_site(StagingBuilder& staging) {
  staging.ring().thread(2, 1002, "worker").log(18, kT + 3, Args().i32(2)).log(16, kT + 4, Args().i32(3));
}

void damaged_tail(StagingBuilder& staging) {
  staging.ring().thread(2, 1002, "worker").log(16, kT + 3, Args().i32(2)).header.tail += 3;
}

void damaged_header(StagingBuilder& staging) {
  staging.ring().thread(2, 1002, "worker").header.capacity = 5000;
}

void damaged_context(StagingBuilder& staging) {
  staging.ring().thread(2, 1002, "worker").record(wire::kSiteContext, 0, "\1?\2id").log(16, kT + 3, Args().i32(2));
}

void damaged_dictionary(StagingBuilder& staging) {
  staging.dictionary.put(std::uint8_t{1});
  staging.dictionary.put_varint(200);
}

// A process has ended in order, and left it to the next one of its log.
void vacant(StagingBuilder& staging) {
  staging.session.state = ring::kEnded;
  staging.session.stopped = staging.session.external = 1;
  staging.session.keeps_vacant = staging.session.vacant = 1;
  staging.first_ring().release(2, 1, 1001, "main");
}

// Times before 2001 are marked; what is as small without the mark is the counter's, dated by the clock point.
void early_times(StagingBuilder& staging) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  staging.session.clock_kind = 5;
  staging.session.clock_points = 1;
  staging.session.clock_slots[0] = {5000, static_cast<std::int64_t>(kT), 2.0, 100, 0};
  RingBuilder& ring = staging.ring();
  ring.thread(2, 1002, "worker").log(16, 4000, Args().i32(-1));
  for (const std::uint64_t seconds : {0u, 1u, 893'000'000u, 999'999'999u, 1'000'000'000u})
    ring.log(
        16,
        seconds * kSecond < 1'000'000'000 * kSecond ? (std::uint64_t{1} << 63) + seconds * kSecond : seconds * kSecond,
        Args().i32(static_cast<std::int32_t>(seconds)));
}

// Makes staging as no process may leave it.
void damaged_vacant(StagingBuilder& staging) {
  vacant(staging);
  staging.first_ring().log(16, kT + 3, Args().i32(2));
}

void other_version(StagingBuilder& staging) {
  staging.session.version = 1000;
}

void write(const std::filesystem::path& directory, const std::string& name,
           const std::function<void(StagingBuilder&)>& more) {
  if (std::filesystem::exists(directory / name)) return;
  StagingBuilder staging = plain();
  if (more) more(staging);
  staging.write(directory / name);
  std::cout << (directory / name).string() << "\n";
}

void run(const std::filesystem::path& directory) {
  write(directory, "plain", plain_two_rings);
  write(directory, "wrapped", wrapped);
  write(directory, "grown", grown);
  write(directory, "drops", drops);
  write(directory, "announced", announced);
  write(directory, "context", context);
  write(directory, "unknown_protocol_site", unknown_protocol_site);
  write(directory, "unknown_kind_of_ring", unknown_kind_of_ring);
  write(directory, "recorder", recorder);
  write(directory, "vacant", vacant);
  write(directory, "early_times", early_times);
  write(directory, "damaged_record", damaged_record);
  write(directory, "unknown_site", unknown_site);
  write(directory, "damaged_tail", damaged_tail);
  write(directory, "damaged_header", damaged_header);
  write(directory, "damaged_context", damaged_context);
  write(directory, "damaged_dictionary", damaged_dictionary);
  write(directory, "damaged_vacant", damaged_vacant);
  write(directory, "other_version", other_version);
}

}  // namespace
}  // namespace steno::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_staging DIRECTORY\n";
    return 2;
  }
  steno::test::run(argv[1]);
}
