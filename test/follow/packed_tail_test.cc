// A file's tail with packed sessions (file.md §15): each comes as its blocks, wherever the reading of the file begins.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "../reader/file_builder.h"
#include "../temp_directory.h"
#include "follow/file_tail.h"
#include "format/packed_session.h"
#include "reader/log_file.h"

namespace steno::follow {
namespace {

constexpr std::uint64_t kModels = 200;  // more than a tail keeps

std::uint64_t id_of(std::uint64_t n) {
  return 0x4321'0000'0000'0000 + n * 0x10'0001;
}

ByteBuffer session(std::uint64_t n, const std::string& program_text) {
  test::FileBuilder builder;
  builder.session(id_of(n), 1, static_cast<std::uint32_t>(4000 + n))
      .site(16, Level::kInfo, "message {number} of " + program_text + ", which is long enough to be worth it", "m")
      .thread(0, 1, "main", 4000 + n)
      .clock({{1000 * n, static_cast<std::int64_t>(test::FileBuilder::kStart + 1'000'000 * n), 1.0, 100, 0}});
  const std::string bytes = builder.log(0, 16, 1000 * n + 17, test::Args().u64(n)).end().bytes();
  ByteBuffer blocks;
  blocks.put_bytes(bytes.data(), bytes.size());
  EXPECT_TRUE(format::raise_version(&blocks));
  return blocks;
}

class PackedTail : public ::testing::Test {
 protected:
  // Sessions of as many kinds, each with its model.
  void write_models() {
    ByteBuffer out;
    for (std::uint64_t n = 0; n < kModels; ++n) {
      const ByteBuffer blocks = session(n, "program " + std::to_string(n));
      out.put_bytes(blocks.data(), blocks.size());
      models_.emplace_back();
      ASSERT_TRUE(format::append_bare({blocks.data(), blocks.size()}, models_.back()));
      format::append_model(out, id_of(n), {models_.back().data(), models_.back().size()});
    }
    append(out);
  }
  void write_packed(std::uint64_t begin, std::uint64_t end, std::uint64_t model) {
    ByteBuffer out;
    for (std::uint64_t n = begin; n < end; ++n) {
      const ByteBuffer blocks = session(n, "program " + std::to_string(model));
      ByteBuffer bare;
      ASSERT_TRUE(format::append_bare({blocks.data(), blocks.size()}, bare));
      ASSERT_TRUE(format::append_packed_session(out, id_of(n), {bare.data(), bare.size()},
                                                {models_[model].data(), models_[model].size()}));
    }
    append(out);
  }
  void append(const ByteBuffer& bytes) const {
    std::ofstream(path_, std::ios::app | std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  // The sessions that ended in what the tail gives, each part of which is to be of a size.
  std::multiset<std::uint64_t> ended(FileTail* tail, std::size_t most = SIZE_MAX) const {
    std::multiset<std::uint64_t> found;
    for (bool all = false; !all;) {
      ByteBuffer out;
      std::vector<FileTail::Event> events;
      all = tail->read(&out, &events);
      EXPECT_LE(out.size(), most);
      for (const FileTail::Event& event : events) {
        if (event.end) found.insert(event.session_id);
      }
    }
    return found;
  }
  static std::multiset<std::uint64_t> ids(std::uint64_t begin, std::uint64_t end) {
    std::multiset<std::uint64_t> all;
    for (std::uint64_t n = begin; n < end; ++n) all.insert(id_of(n));
    return all;
  }

  test::TempDirectory directory_;
  const std::string path_ = directory_.path() + "/log.steno";
  std::vector<ByteBuffer> models_;
};

// Whatever their numbers are: those are kept that a writer may still refer to.
TEST_F(PackedTail, GoesOnAfterAFileOfManyModels) {
  write_models();
  FileTail tail(path_);
  tail.open();
  reader::Ordinals ordinals;
  const auto file = reader::LogFile::open(path_, &ordinals);
  ASSERT_TRUE(file.ok());
  tail.go_on_after(**file);
  write_packed(kModels, kModels + 20, kModels - 1);
  write_packed(kModels + 20, kModels + 40, kModels - 8);
  EXPECT_EQ(ended(&tail), ids(kModels - 1, kModels + 40));  // what comes after the last data is given again
  EXPECT_FALSE(tail.passed_over());
}

TEST_F(PackedTail, GivesNoMuchMoreAtOnceThanItReads) {
  constexpr std::size_t kMost = std::size_t{1} << 15;
  write_models();
  write_packed(kModels, kModels + 1000, kModels - 1);
  FileTail tail(path_, kMost);
  tail.open();
  EXPECT_EQ(ended(&tail, 3 * kMost), ids(0, kModels + 1000));
  EXPECT_FALSE(tail.passed_over());
}

}  // namespace
}  // namespace steno::follow
