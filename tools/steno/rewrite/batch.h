// Records that were read, on their way into a block of another file.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "format/data_writer.h"
#include "reader/decoded_block.h"
#include "text/meaning.h"
#include "wire/record.h"

namespace steno::cli {

// A change of an argument's values.
enum class Change : std::uint8_t {
  kKeep,
  kBlank,  // zero, or empty: of a secret, which is shown as one whatever its bytes are
  kText,   // the text kRedacted; its type is a string
  kMatch,  // what patterns match is replaced
};

class TextPatterns;

// How the records of a statement are written.
struct SiteForm {
  // `as`: the entry that is written.
  SiteForm(wire::SiteInfo as, std::vector<Change> of_values)
      : info(std::move(as)), changes(std::move(of_values)), meanings(info) {
    (void)wire::Layout::parse(info.types, &layout);
  }
  SiteForm(const SiteForm&) = delete;  // `meanings` views `info`
  SiteForm& operator=(const SiteForm&) = delete;

  const wire::SiteInfo info;
  wire::Layout layout;
  const std::vector<Change> changes;  // by argument; empty: all are kept
  const text::Meanings meanings;
};

// Records of one session, in the order in which they are added.
class Batch {
 public:
  explicit Batch(const TextPatterns* patterns) : patterns_(patterns) {}

  // Record i of a decoded block. `form` must outlive the batch's content. `raw`: its values in place of the block's,
  // for records whose values a reader changes; nullptr: as decoded.
  void add(const reader::DecodedBlock& block, std::uint32_t i, const SiteForm& form, std::uint32_t logger,
           const format::Run& run, const std::uint64_t* raw);
  // Views; until the next add() or clear(). Requires records.
  format::BlockInput input();
  void clear();

  std::size_t records() const { return order_.size(); }
  std::size_t bytes() const { return words_.size() * 8; }
  // Values that no dictionary of the file has any more, and which are written as a text that says so.
  std::uint64_t missing() const { return missing_; }

 private:
  struct GroupOf {
    const SiteForm* form;
    std::uint32_t logger;
    std::vector<std::uint32_t> offsets;
  };
  std::uint32_t group_of(const SiteForm& form, std::uint32_t logger);
  void put_value(const text::Value& value, const SiteForm& form, std::size_t column);

  const TextPatterns* patterns_;
  std::vector<std::uint64_t> words_;
  std::vector<format::Run> runs_;
  std::vector<std::uint64_t> clocks_;
  std::vector<std::uint32_t> order_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> index_;  // by site and logger
  std::vector<GroupOf> groups_;
  std::uint64_t missing_ = 0;

  std::vector<std::byte> record_;  // the fixed part of one
  std::string payloads_;
  std::string changed_;
  std::vector<std::uint32_t> offsets_;
  std::vector<format::Group> inputs_;
};

}  // namespace steno::cli
