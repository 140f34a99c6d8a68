// Tests which sessions become models, how often these are written, and what a damaged page costs.
#include "logfile/session_packer.h"

#include <gtest/gtest.h>
#include <steno/reader.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "../temp_directory.h"
#include "format/end_block.h"
#include "format/packed_session.h"
#include "format/session_block.h"
#include "reader/log_file.h"
#include "reader/losses.h"

namespace steno::logfile {
namespace {

using format::BlockType;

// Returns a session of one of several kinds, with a part of its own.
ByteBuffer session(std::uint64_t id, unsigned kind, std::mt19937& random) {
  ByteBuffer out;
  format::SessionBlock block;
  block.session_id = id;
  block.pid = static_cast<std::uint32_t>(random());
  block.program = "program of kind " + std::to_string(kind);
  format::append_session_block(out, block);
  std::mt19937 of_kind(kind);
  std::string payload;
  for (int i = 0; i < 700; ++i) payload += static_cast<char>(of_kind());
  for (int i = 0; i < 8; ++i) payload += static_cast<char>(random());
  // A type that readers pass over: what is in it does not matter here.
  format::append_block(out, BlockType::kProtocol, format::session_tag(id),
                       {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()});
  format::append_end_block(out, {}, format::session_tag(id));
  return out;
}

class SessionPackerTest : public ::testing::Test {
 protected:
  SessionPackerTest() { EXPECT_TRUE(file_.open(path_, 0600).ok()); }

  SessionPacker::Form write(std::uint64_t id, unsigned kind) { return write(id, kind, file_); }
  SessionPacker::Form write(std::uint64_t id, unsigned kind, OutputFile& file) {
    ByteBuffer blocks = session(id, kind, random_);
    return write(packer_.plan(file, {blocks.data(), blocks.size()}, id), blocks, file);
  }
  SessionPacker::Form write(const SessionPacker::Plan& plan, ByteBuffer& blocks, OutputFile& file) {
    EXPECT_TRUE(plan.form != SessionPacker::Form::kModel || format::raise_version(&blocks));
    EXPECT_TRUE(plan.form == SessionPacker::Form::kPacked || file.write(blocks).ok());
    if (plan.form != SessionPacker::Form::kPlain) {
      EXPECT_TRUE(file.write(plan.blocks).ok());
      packer_.wrote(plan, file.end());
    }
    return plan.form;
  }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  test::TempDirectory directory_;
  const std::string path_ = directory_.path() + "/log.steno";
  OutputFile file_;
  SessionPacker packer_;
  std::mt19937 random_{8};
};

using Form = SessionPacker::Form;

TEST_F(SessionPackerTest, TheSecondOfAKindIsAModelForTheOthers) {
  write(1, 9);  // of an empty file nothing is known
  for (const unsigned kind : {1, 2, 3}) {
    EXPECT_EQ(write(10 * kind, kind), Form::kPlain);
    EXPECT_EQ(write(10 * kind + 1, kind), Form::kModel);
    EXPECT_EQ(write(10 * kind + 2, kind), Form::kPacked);
  }
  const auto before = file_.end();
  for (std::uint64_t id = 100; id < 200; ++id) EXPECT_EQ(write(id, 1 + id % 3), Form::kPacked);
  EXPECT_LT(file_.end() - before, 100 * 80u + 3 * 1000u);
}

TEST_F(SessionPackerTest, AModelThatIsGoneIsNotUsed) {
  for (std::uint64_t id = 1; id < 6; ++id) write(id, 1);
  EXPECT_EQ(write(6, 1), Form::kPacked);
  std::filesystem::resize_file(path_, 0);
  OutputFile again;
  ASSERT_TRUE(again.open(path_, 0600).ok());
  std::swap(file_, again);
  EXPECT_EQ(write(7, 1), Form::kPlain);
  EXPECT_EQ(write(8, 1), Form::kModel);
  EXPECT_EQ(write(9, 1), Form::kPacked);
}

// Each opened the file before the others wrote.
TEST_F(SessionPackerTest, AModelThatAnotherFileObjectWroteIsUsed) {
  write(1, 9);
  std::array<OutputFile, 6> files;
  for (OutputFile& file : files) ASSERT_TRUE(file.open(path_, 0600).ok());
  EXPECT_EQ(write(2, 1, files[0]), Form::kPlain);
  EXPECT_EQ(write(3, 1, files[1]), Form::kModel);
  for (std::size_t i = 2; i < files.size(); ++i) EXPECT_EQ(write(10 + i, 1, files[i]), Form::kPacked);
}

// Some sessions go on in a file that was renamed, others begin in the one that took its place.
TEST_F(SessionPackerTest, FilesOfOnePathHaveTheirOwnModels) {
  write(1, 9);
  write(2, 1);
  EXPECT_EQ(write(3, 1), Form::kModel);
  std::filesystem::rename(path_, path_ + ".1");
  OutputFile next;
  ASSERT_TRUE(next.open(path_, 0600).ok());
  write(4, 9, next);
  EXPECT_EQ(write(5, 1, next), Form::kModel);
  for (std::uint64_t id = 6; id < 10; ++id) {
    EXPECT_EQ(write(10 * id, 1), Form::kPacked);
    EXPECT_EQ(write(10 * id + 1, 1, next), Form::kPacked);
  }
}

// While one session writes the model, others of its kind do not write more of them; if it fails to come, they do.
TEST_F(SessionPackerTest, OneModelIsWrittenAtATime) {
  write(1, 9);
  write(2, 1);
  ByteBuffer blocks = session(3, 1, random_);
  auto plan = packer_.plan(file_, {blocks.data(), blocks.size()}, 3);
  EXPECT_EQ(plan.form, Form::kModel);
  EXPECT_EQ(write(4, 1), Form::kPlain);
  EXPECT_EQ(write(5, 1), Form::kPlain);
  EXPECT_EQ(write(plan, blocks, file_), Form::kModel);
  EXPECT_EQ(write(6, 1), Form::kPacked);

  write(10, 2);
  ByteBuffer others = session(11, 2, random_);
  plan = packer_.plan(file_, {others.data(), others.size()}, 11);
  EXPECT_EQ(plan.form, Form::kModel);
  plan = {};  // it could not be written
  EXPECT_EQ(write(12, 2), Form::kModel);
  EXPECT_EQ(write(13, 2), Form::kPacked);
}

// A file that another process has written to since it was opened: the end that counts is that of now.
TEST_F(SessionPackerTest, AModelThatOthersHaveWrittenFarBeyondIsNotUsed) {
  write(1, 9);
  write(2, 1);
  EXPECT_EQ(write(3, 1), Form::kModel);
  OutputFile early;
  ASSERT_TRUE(early.open(path_, 0600).ok());
  EXPECT_EQ(write(4, 1), Form::kPacked);
  OutputFile other;
  ASSERT_TRUE(other.open(path_, 0600).ok());
  ByteBuffer padding;
  format::append_padding(padding, SessionPacker::kReach, 1);
  ASSERT_TRUE(other.write(padding).ok());
  EXPECT_EQ(write(5, 1, early), Form::kModel);
}

// Over some model's lives.
TEST_F(SessionPackerTest, ADamagedPageCostsTheSessionsInIt) {
  constexpr std::uint64_t kSessions = 20'000;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> places;  // begin and end of each
  unsigned models = 0;
  write(1'000'000, 5);
  for (std::uint64_t id = 1; id <= kSessions; ++id) {
    const std::uint64_t begin = file_.end();
    const Form form = write(id, 1 + id % 2);
    models += form == Form::kModel ? 1 : 0;
    places[id] = {begin, file_.end()};
  }
  const std::string sound = content();
  EXPECT_GE(models, 2 * (sound.size() >> 20));
  EXPECT_LE(models, 2 * (sound.size() >> 20) + 2);
  const auto sessions_in = [&](const std::string& bytes) {
    std::ofstream(path_ + ".copy", std::ios::binary | std::ios::trunc) << bytes;
    reader::Ordinals ordinals;
    const auto log = reader::LogFile::open(path_ + ".copy", &ordinals, {}, reader::kCheckAll);
    std::set<std::uint64_t> found;
    EXPECT_TRUE(log.ok());
    if (!log.ok()) return found;
    for (const auto& one : (*log)->sessions()) {
      if (one->known && one->end) found.insert(one->info.session_id);
    }
    return found;
  };
  EXPECT_EQ(sessions_in(sound).size(), kSessions + 1);
  for (std::uint64_t page = 0; page < sound.size() / 4096; page += 1 + random_() % 60) {
    std::string bytes = sound;
    for (std::uint64_t at = 4096 * page; at < 4096 * (page + 1); ++at) bytes[at] = static_cast<char>(random_());
    const std::set<std::uint64_t> found = sessions_in(bytes);
    for (const auto& [id, place] : places) {
      const bool in_page = place.first < 4096 * (page + 1) && place.second > 4096 * page;
      EXPECT_TRUE(in_page || found.contains(id)) << "session " << id << ", page " << page;
    }
  }
}

}  // namespace
}  // namespace steno::logfile
