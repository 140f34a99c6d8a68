// How a file that many short sessions write into gets them packed (file.md §15). The first session of a kind is written
// as ever. The second one as well, and again as a model; from the third on what differs from the model is written.
// Sessions that overlap have the file open each for itself, and use each other's models.
//
//   auto plan = packer.plan(file, blocks, id);    all blocks of the session
//   plan.form                                     what is to be written
//   packer.wrote(plan, file.end());               it is on file
//
// Models are written anew now and then, so that the damage of one costs a part of the file at most.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/block.h"
#include "logfile/output_file.h"
#include "ring/log_identity.h"

namespace steno::logfile {

// One for all files of a process. Thread-safe. Memory: kMostModels sessions of kMostSession bytes for each of
// kMostFiles paths.
class SessionPacker {
 public:
  static constexpr std::size_t kMostSession = std::size_t{1} << 14;
  static constexpr std::uint64_t kReach = std::uint64_t{1} << 20;  // bytes of the file after which a model is not used
  static constexpr std::size_t kMostModels = 8;
  static constexpr std::size_t kMostFiles = 64;

  enum class Form {
    kPlain,   // the session's blocks
    kModel,   // these, with the version of format::raise_version(), and then Plan::blocks
    kPacked,  // Plan::blocks in their place
  };
  struct Model;
  struct Plan {
    Form form = Form::kPlain;
    ByteBuffer blocks;
    std::shared_ptr<Model> model;  // that is in them, or is referred to
    bool has_copy = false;         // kPacked: `blocks` begin with one of the model
  };

  // Requires an open file. `blocks`: those of one session, from its session block to its end block. Costs a few system
  // calls, and some microseconds for each model of this path.
  Plan plan(const OutputFile& file, std::span<const std::uint8_t> blocks, std::uint64_t session_id);
  // To be told once Plan::blocks are written: they end at `end` of the file. A model that never comes is given up when
  // its plan is destroyed.
  void wrote(const Plan& plan, std::uint64_t end);

  struct Model {
    std::uint64_t session_id = 0;
    ByteBuffer bare;
    bool on_file = false;    // its block is
    ring::LogIdentity file;  // which that is, or is to be
    bool copied = false;     // the block is there twice
    std::uint64_t at = 0;    // the place of the block
    std::uint64_t end = 0;
    std::uint64_t page_end = 0;  // after the last page that has a part of the block
    std::array<std::uint8_t, format::kBlockHeaderSize> header{};
  };

 private:
  using Models = std::vector<std::shared_ptr<Model>>;  // the one that was used last comes first

  Models& models_of(const std::string& path);
  static void put_first(Models& models, std::shared_ptr<Model> model);

  std::mutex mutex_;
  std::map<std::string, Models> files_;
};

}  // namespace steno::logfile
