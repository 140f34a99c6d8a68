// Lays records out as call sites do (ring.md §4.1) and groups them as the scribe does, for tests and benchmarks of the
// writer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/data_reader.h"
#include "format/data_writer.h"

namespace steno::format {

// One argument. `bits` for what has at most 8 bytes, `wide` for 16, `text` for strings (empty optional: a null
// pointer).
struct Arg {
  std::uint64_t bits = 0;
  std::string wide;
  std::optional<std::string> text;

  static Arg of_int(std::int64_t v) { return {static_cast<std::uint64_t>(v), {}, {}}; }
  static Arg of_double(double v) { return {std::bit_cast<std::uint64_t>(v), {}, {}}; }
  static Arg of_text(std::string v) { return {0, {}, std::move(v)}; }
  static Arg null() { return {}; }
};

class RecordBuilder final : public LayoutSource {
 public:
  // A site must be declared before its first record. `types` as in types.md.
  void declare(std::uint32_t site, const std::string& types, Level level = Level::kInfo);
  // Makes the next records those of another run. The first run opens by itself.
  void open_run(std::uint32_t thread, std::uint32_t ring);
  void add(std::uint32_t site, std::uint64_t clock, const std::vector<Arg>& args, std::uint16_t logger = 0);

  // Valid until the next change.
  BlockInput input();
  std::size_t records() const { return order_.size(); }
  std::size_t record_bytes() const { return bytes_.size() * 8; }
  const wire::Layout* layout_of(std::uint32_t site) const override;

 private:
  struct Site {
    wire::Layout layout;
    Level level = Level::kInfo;
  };

  std::map<std::uint32_t, std::unique_ptr<Site>> sites_;
  std::vector<std::uint64_t> bytes_;  // records are 8-byte aligned
  std::vector<Run> runs_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t> group_of_;
  std::vector<Group> groups_;
  std::vector<std::vector<std::uint32_t>> group_offsets_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint64_t> clocks_;
  std::vector<std::uint32_t> offsets_;
};

}  // namespace steno::format
