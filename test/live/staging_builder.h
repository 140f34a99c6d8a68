// Staging made by hand, byte by byte as spec/ring.md says, for what no producer of ours would leave.
#pragma once

#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "../reader/file_builder.h"
#include "ring/layout.h"
#include "ring/ring_access.h"
#include "wire/dictionary.h"
#include "wire/record.h"

namespace steno::test {

class RingBuilder {
 public:
  RingBuilder(std::uint32_t id, std::uint64_t capacity) : data_(capacity, '\0') {
    header.magic = ring::kRingMagic;
    header.version = ring::kVersion;
    header.ring_id = id;
    header.capacity = capacity;
    header.session_id = FileBuilder::kId;
  }

  RingBuilder& thread(std::uint32_t index, std::uint64_t tid, std::string_view name) {
    return log(wire::kSiteThread, 0, Args().add('j', index).u64(tid).text(name));
  }
  RingBuilder& log(std::uint32_t site, std::uint64_t ticks, const Args& args = {}, std::uint16_t logger = 0) {
    ByteBuffer arguments;
    args.append_to(arguments);
    return record(site, ticks, {reinterpret_cast<const char*>(arguments.data()), arguments.size()}, logger);
  }
  // A context of one number; no name: none.
  RingBuilder& context(std::string_view name, std::uint64_t value) {
    std::string bytes(1, name.empty() ? '\0' : '\1');
    if (!name.empty()) {
      bytes += 'm';
      bytes += static_cast<char>(name.size());
      bytes += name;
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return record(wire::kSiteContext, 0, bytes);
  }
  RingBuilder& record(std::uint32_t site, std::uint64_t ticks, std::string_view arguments, std::uint16_t logger = 0) {
    const std::size_t size = round_up(wire::kArgsOffset + arguments.size(), 8);
    const std::uint64_t to_end = header.capacity - extent().address(header.tail);
    if (size > to_end) raw(wire::Header{wire::kSitePad, static_cast<std::uint16_t>(to_end / 8), 0}, to_end);
    char* const p = raw({site, static_cast<std::uint16_t>(size / 8), logger}, size);
    store(p + 8, ticks);
    std::memcpy(p + wire::kArgsOffset, arguments.data(), arguments.size());
    return *this;
  }
  // Requires the end of a lap: another extent from here on (ring.md §4.4).
  RingBuilder& grow(std::uint64_t capacity) {
    header.base = header.tail - header.capacity;
    header.capacity = capacity;
    data_.resize(capacity);
    return *this;
  }
  // A header, and the room that it takes.
  char* raw(wire::Header head, std::size_t size) {
    char* const p = data_.data() + extent().address(header.tail);
    std::memset(p, 0, size);
    store(p, head.pack());
    header.tail += size;
    return p;
  }
  // All until now is on file: `seq` records, logged last by that thread.
  RingBuilder& release(std::uint64_t seq, std::uint32_t thread, std::uint64_t tid, std::string_view name) {
    ring::Release release{};
    release.position = header.tail;
    release.seq = seq;
    release.thread = thread;
    ring::ThreadSlot& slot = header.threads[0];
    slot.tid = tid;
    slot.index = thread;
    slot.name_size = static_cast<std::uint32_t>(name.size());
    std::memcpy(slot.name, name.data(), name.size());
    ring::store_release(&header, release);
    return *this;
  }

  std::string bytes() const { return std::string(reinterpret_cast<const char*>(&header), sizeof header) + data_; }

  ring::RingHeader header{};

 private:
  ring::Extent extent() const { return {header.base, header.capacity}; }

  std::string data_;
};

// A session of a program that died, whose ticks are nanoseconds since the epoch unless told otherwise.
class StagingBuilder {
 public:
  StagingBuilder() {
    session.magic = ring::kSessionMagic;
    session.version = ring::kVersion;
    session.pid = 4242;
    session.session_id = FileBuilder::kId;
    session.start_wall = FileBuilder::kStart;
    session.clock_kind = 3;
    session.ns_per_tick = 1;
    session.state = ring::kRunning;
    session.last_look = FileBuilder::kStart;
    std::strcpy(session.program, "testprog");
    session.clock_points = 1;
    session.clock_slots[0] = {1000, FileBuilder::kStart, 1, 40, 0};
  }

  StagingBuilder& site(std::uint32_t id, Level level, std::string format, std::string types) {
    wire::SiteInfo info;
    info.id = id;
    info.level = level;
    info.line = id;
    info.format = std::move(format);
    info.file = "src/server.cc";
    info.function = "serve";
    info.types = std::move(types);
    info.stable_id = wire::stable_site_id(info);
    wire::append_entry(dictionary, info);
    return *this;
  }
  RingBuilder& ring(std::uint64_t capacity = ring::kMinCapacity) {
    return rings_.emplace_back(session.ring_count++, capacity);
  }

  RingBuilder& first_ring() { return rings_.front(); }

  void write(const std::filesystem::path& directory) {
    if (session.dictionary_size == 0) session.dictionary_size = dictionary.size();
    std::filesystem::create_directories(directory);
    write(directory / "session", {reinterpret_cast<const char*>(&session), sizeof session});
    write(directory / "consumer", "");
    write(directory / "dictionary", {reinterpret_cast<const char*>(dictionary.data()), dictionary.size()});
    for (const RingBuilder& ring : rings_) {
      write(directory / ("ring-" + std::to_string(ring.header.ring_id)), ring.bytes());
    }
  }

  ring::SessionFile session{};
  ByteBuffer dictionary;

 private:
  static void write(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  std::deque<RingBuilder> rings_;
};

}  // namespace steno::test
