// Any damage confined to one page costs at most the records of the blocks that lie in that page, and so does a byte
// that is inserted or removed (file.md §11): of files as sessions write them, with and without an index.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "../mutations.h"
#include "../random_cases.h"
#include "format/strings/codec.h"
#include "log_test.h"
#include "reader/log_set.h"
#include "reader/losses.h"
#include "reader/merge.h"
#include "reader/message.h"

namespace steno_test {
namespace {

using steno::reader::BlockEntry;
using steno::reader::LogFile;
using steno::reader::LogSet;
using steno::reader::OpenOptions;

constexpr std::size_t kPage = 4096;

// A record as it is shown.
struct ShownLine {
  std::int64_t wall = 0;
  std::string text;  // level, thread, message

  // If a clock point is lost, the ones beside it date within a nanosecond or two.
  bool operator==(const ShownLine& other) const { return text == other.text && std::abs(wall - other.wall) < 1000; }
};
using Shown = std::map<std::uint64_t, ShownLine>;  // by number in the ring

class PageDamage : public LogTest {
 protected:
  // Blocks of all sizes, in `bytes` of file about; sites, loggers and the thread's name come as it goes on. Every other
  // text comes again, so that blocks share it.
  void write_log(std::size_t bytes) {
    start();
    std::string text;
    std::vector<std::string> again;
    for (std::size_t written = 0, i = 0; written < bytes; ++i) {
      if (again.size() == 200 && next() % 2 == 0) {
        text = again[next() % again.size()];
      } else {
        text.assign(20 + next() % 300, ' ');
        for (char& c : text) c = static_cast<char>('!' + next() % 90);
        if (again.size() < 200) again.push_back(text);
        written += text.size();
      }
      if (i % 3 == 0) STENO_INFO("{i} is {text}", i, text);
      if (i % 3 == 1) STENO_WARN("{text} has {i}", text, i);
      if (i % 3 == 2 && i < 40) STENO_DEBUG("first {text}", text);
      if (i % 3 == 2 && i >= 40) STENO_ERROR("later {text}", text);
      if (i % (bytes / 3000) == 0) flush();
    }
    steno::stop();
    bytes_ = read_file();
    const Read sound = read(bytes_, OpenOptions{UINT64_MAX});
    sound_ = sound.shown;
    places_ = sound.places;
    ASSERT_TRUE(sound.complete);
    ASSERT_GT(sound_.size(), 20u);
  }

  static void flush() { ASSERT_TRUE(steno::flush().ok()); }

  struct Place {
    std::uint64_t begin;
    std::uint64_t end;
  };
  struct Read {
    Shown shown;
    std::map<std::uint64_t, Place> places;  // of each record's block
    bool complete = false;
    std::uint64_t lost = 0;
    bool exact = false;
  };

  Read read(const std::string& bytes, const OpenOptions& options) {
    std::ofstream(path("damaged"), std::ios::binary | std::ios::trunc).write(bytes.data(), bytes.size());
    Read result;
    LogSet logs(options);
    EXPECT_TRUE(logs.add(path("damaged")).ok());
    if (logs.files().empty()) return result;
    const auto report = find_losses(*logs.files()[0], {.content = true});
    result.complete = report.complete();
    result.lost = report.lost;
    result.exact = report.exact;
    steno::reader::Merge merge(logs, {});
    steno::reader::Slice slice;
    steno::ByteBuffer message;
    while (merge.next(&slice)) {
      const BlockEntry& entry = slice.block->entry();
      for (std::uint32_t i = slice.begin; i < slice.end; ++i) {
        const auto& run = slice.block->file().run_of(entry, i);
        const auto& group = slice.block->group(i);
        std::vector<steno::text::Value> values(group.columns);
        slice.block->values(i, values.data());
        message.clear();
        append_message(group, values, message);
        const std::uint64_t seq = run.first_seq + (i - run.start);
        result.shown[seq] = {slice.block->wall(i),
                             level_name(group.site->info().level) + slice.thread->display() +
                                 std::string(reinterpret_cast<const char*>(message.data()), message.size())};
        result.places[seq] = {entry.header_offset(), entry.header_offset() + entry.total_size()};
      }
    }
    return result;
  }

  // Whatever was done to the file: what is printed was logged, a stated loss is right, and nothing is called complete
  // where something is missing.
  void check_statements(const std::string& damaged, const OpenOptions& options) {
    const Read result = read(damaged, options);
    for (const auto& [seq, text] : result.shown) {
      const auto logged = sound_.find(seq);
      ASSERT_NE(logged, sound_.end());
      if (text.text.find(steno::format::kMissingString) != std::string::npos) {
        ASSERT_FALSE(result.complete);
        continue;
      }
      ASSERT_TRUE(text == logged->second) << text.text << "\n" << logged->second.text;
    }
    const std::uint64_t missing = sound_.size() - result.shown.size();
    if (missing != 0) {
      ASSERT_FALSE(result.complete);
    }
    ASSERT_LE(result.lost, missing);
    if (result.exact) {
      ASSERT_EQ(result.lost, missing);
    }
  }

  // A flipped bit, a zeroed page, a cut, a range that is there twice, two ranges swapped, or bytes inserted.
  std::string mutated(int kind) {
    std::string bytes = bytes_;
    const std::size_t at = next() % bytes.size();
    const std::size_t other = next() % bytes.size();
    const std::size_t size = std::min(std::size_t{1} << next() % 17, bytes.size() - std::max(at, other));
    switch (kind % 6) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << next() % 8);
        break;
      case 1: {
        const std::size_t page = at / kPage * kPage;
        const std::size_t end = std::min(page + kPage, bytes.size());
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(page), bytes.begin() + static_cast<std::ptrdiff_t>(end),
                  '\0');
        break;
      }
      case 2:
        bytes.resize(std::max<std::size_t>(at, 64));
        break;
      case 3:
        bytes.insert(other, bytes_, at, size);
        break;
      case 4:
        bytes.replace(at, size, bytes_, other, size).replace(other, size, bytes_, at, size);
        break;
      default:
        bytes.insert(at, std::string(1 + next() % 100, static_cast<char>(next())));
    }
    return bytes;
  }

  // Damage of [begin, end) of the sound file has made `damaged` of it.
  void check(const std::string& damaged, std::uint64_t begin, std::uint64_t end) {
    for (const OpenOptions& options : {OpenOptions{0}, OpenOptions{UINT64_MAX}}) {
      const Read result = read(damaged, options);
      std::uint64_t missing = 0;
      for (const auto& [seq, text] : sound_) {
        const Place& place = places_[seq];
        const bool hit = place.begin < end && begin < place.end;
        const auto found = result.shown.find(seq);
        missing += found == result.shown.end() ? 1 : 0;
        if (hit) continue;
        ASSERT_NE(found, result.shown.end()) << "record " << seq << " of the block at " << place.begin;
        ASSERT_TRUE(found->second == text) << found->second.text << "\n" << text.text;
      }
      ASSERT_LE(result.shown.size(), sound_.size());
      if (missing != 0) {
        ASSERT_FALSE(result.complete);
      }
      ASSERT_LE(result.lost, missing);
      if (result.exact) {
        ASSERT_EQ(result.lost, missing);
      }
    }
  }

  void damage_pages(std::size_t step) {
    for (std::size_t page = 0; page < bytes_.size() && !HasFatalFailure(); page += step * kPage) {
      SCOPED_TRACE("page at " + std::to_string(page));
      std::string damaged = bytes_;
      const std::size_t size = std::min(kPage, bytes_.size() - page);
      damaged.replace(page, size, size, '\0');
      check(damaged, page, page + size);
      for (std::size_t i = page; i < page + size; ++i) damaged[i] = static_cast<char>(next());
      check(damaged, page, page + size);
    }
  }

  std::string read_file() {
    std::ifstream in(path(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    return state_ ^= state_ << 17;
  }

  std::uint64_t state_ = 88172645463325252ull;
  std::string bytes_;
  Shown sound_;
  std::map<std::uint64_t, Place> places_;
};

TEST_F(PageDamage, CostsTheBlocksInThePage) {
  write_log(60'000);
  ASSERT_GT(bytes_.size(), 8 * kPage);
  damage_pages(1);
}

TEST_F(PageDamage, CostsTheBlocksInThePageOfAFileWithAnIndex) {
  write_log(1'500'000);
  ASSERT_GT(bytes_.size(), std::size_t{1} << 20);
  damage_pages(steno::test::random_cases(8) == 8 ? 37 : 297);
}

TEST_F(PageDamage, AByteInsertedOrRemovedCostsItsBlock) {
  write_log(60'000);
  for (std::size_t at = 0; at < bytes_.size() && !HasFatalFailure(); at += 1 + bytes_.size() / 40) {
    SCOPED_TRACE("at " + std::to_string(at));
    std::string damaged = bytes_;
    damaged.insert(at, 1, 'x');
    check(damaged, at, at + 1);
    damaged = bytes_;
    damaged.erase(at, 1);
    check(damaged, at, at + 1);
  }
}

TEST_F(PageDamage, MutationsAreStatedExactlyOrAsALowerBound) {
  write_log(1'000'000);
  for (unsigned i = 0; i < steno::test::mutations() && !HasFatalFailure(); ++i) {
    SCOPED_TRACE("mutation " + std::to_string(i));
    check_statements(mutated(i), OpenOptions{i % 2 == 0 ? 0 : UINT64_MAX});
  }
}

TEST_F(PageDamage, OfALogThatIsBeingWritten) {
  start();
  for (int i = 0; i < 40; ++i) {
    STENO_INFO("{i} is {text}", i, std::string(200 + next() % 100, static_cast<char>('a' + i % 20)));
    if (i % 4 == 0) flush();
  }
  ASSERT_TRUE(steno::flush().ok());
  std::string damaged = read_file();
  ASSERT_GT(damaged.size(), 2 * kPage);
  std::fill_n(damaged.begin(), kPage, '\0');
  const Read result = read(damaged, {});
  ASSERT_FALSE(result.shown.empty());
  for (const auto& [seq, text] : result.shown) EXPECT_EQ(text.text.find("{!"), std::string::npos) << text.text;
  EXPECT_FALSE(result.complete);
}

TEST_F(PageDamage, AFileOfOnePageHasNoCopies) {
  start();
  for (int i = 0; i < 10; ++i) STENO_INFO("number {}", i);
  steno::stop();
  steno::reader::Ordinals ordinals;
  const auto log = LogFile::open(path(), &ordinals);
  ASSERT_TRUE(log.ok());
  EXPECT_LT((*log)->size(), kPage);
  using steno::format::BlockType;
  EXPECT_EQ((*log)->count_of(static_cast<std::uint8_t>(BlockType::kSession)).blocks, 1u);
  EXPECT_EQ((*log)->count_of(static_cast<std::uint8_t>(BlockType::kDictionary)).blocks, 1u);
}

}  // namespace
}  // namespace steno_test
