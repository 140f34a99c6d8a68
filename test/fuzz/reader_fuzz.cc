// A whole file, read in every way that there is: opened, merged, printed, verified, counted. The input is the file.
#include <string>

#include "../reader/memory_file.h"
#include "base/checksum.h"
#include "fuzz_input.h"
#include "reader/loss_text.h"
#include "reader/losses.h"
#include "reader/merge.h"
#include "reader/message.h"
#include "reader/statistics.h"
#include "steno/reader.h"

namespace steno {
namespace {

using fuzz::require;

// A small file may claim millions of equal records; to read them all is right, and takes a fuzzer too long.
constexpr std::uint64_t kMostRecords = 1u << 14;
constexpr std::uint64_t kPrinted = 500;

// Damage is within the file, does not overlap, and is told in order.
void check_damage(const reader::LogFile& file) {
  std::uint64_t last = 0;
  for (const reader::Damage& damage : file.damage()) {
    require(damage.offset >= last && damage.offset + damage.size <= round_up(file.size(), 8),
            "damage lies in the file");
    last = damage.offset;
    (void)reader::describe(damage);
  }
}

std::uint64_t merge_all(const reader::LogSet& logs, bool sort, Level min_level) {
  reader::ReadOptions options;
  options.sort = sort;
  options.decode.min_level = min_level;
  reader::Merge merge(logs, options);
  reader::Slice slice;
  ByteBuffer text;
  std::vector<text::Value> values;
  std::uint64_t shown = 0;
  while (merge.next(&slice)) {
    require(slice.begin < slice.end && slice.end <= slice.block->records(), "a slice lies in its block");
    for (std::uint32_t i = slice.begin; i < slice.end; ++i, ++shown) {
      if (shown > kPrinted) continue;
      const reader::DecodedGroup& group = slice.block->group(i);
      values.resize(group.columns);
      slice.block->values(i, values.data());
      text.clear();
      append_message(group, values, text);
    }
  }
  for (const reader::DecodeFailure& failure : merge.failures()) (void)describe(failure.damage);
  return shown;
}

void verify(const reader::LogFile& file) {
  const reader::LossReport report = find_losses(file, {.drops = true, .content = true});
  for (const reader::Loss& loss : report.losses) (void)describe(file, loss);
  const reader::Statistics stats = collect_statistics(file);
  std::uint64_t records = 0;
  for (const reader::SiteStat& site : stats.sites) records += site.records;
  require(records == stats.records, "every record is one of a site");
}

void read_by_interface(const std::string& path) {
  auto log = LogReader::open({path});
  require(log.ok(), "what the parts open, the public reader opens");
  (void)log->sites();
  std::uint64_t shown = 0;
  std::string text;
  log->for_each([&](const Record& record) {
    text.clear();
    record.append_message(&text);
    (void)record.site();
    (void)record.thread();
    require(record.session() < log->sessions().size(), "a record is one of a session");
    for (std::size_t i = 0; i < record.argument_count(); ++i) {
      const Argument argument = record.argument(i);
      argument.append_text(&text);
      (void)argument.as_double();
      (void)argument.is_null();
    }
    return ++shown < kPrinted;
  });
  (void)log->losses();
}

}  // namespace
}  // namespace steno

namespace steno {
namespace {

// Returns false if the file cannot be read in a fuzzer's time.
bool read_all(const std::string& path, const reader::OpenOptions& options) {
  reader::LogSet logs(options);
  if (!logs.add(path).ok()) return false;
  const reader::LogFile& file = *logs.files()[0];
  check_damage(file);
  std::uint64_t records = 0;
  for (const reader::BlockEntry& block : file.blocks()) records += block.records;
  if (records > kMostRecords) return false;
  const std::uint64_t sorted = merge_all(logs, true, Level::kTrace);
  require(sorted == merge_all(logs, false, Level::kTrace), "sorted or not, the same records");
  require(sorted <= records, "no record is shown twice");
  merge_all(logs, true, Level::kError);
  verify(file);
  return true;
}

}  // namespace
}  // namespace steno

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steno;
  const test::MemoryFile bytes({reinterpret_cast<const char*>(data), size});
  // The file is read by the index blocks, if there are any, and without them.
  (void)read_all(bytes.path(), {0});
  if (!read_all(bytes.path(), reader::kCheckAll)) return 0;
  // It looks for staging of the file as well, all over the machine: one input in eight has to do.
  if (xxh3(data, size) % 8 == 0) read_by_interface(bytes.path());
  return 0;
}
