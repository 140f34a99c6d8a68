// The sites and loggers of another process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "wire/dictionary.h"
#include "wire/id_source.h"

namespace steno::staging {

// The contents of a dictionary file (ring.md §3).
class ForeignDictionary final : public wire::IdSource, private wire::DictionaryVisitor {
 public:
  // Keeps what comes before the first malformed entry.
  void read(const void* bytes, std::size_t size);
  // `entries` entries could not be written to the dictionary: sites with ids above those in it may be among them.
  void expect_missing(std::uint32_t entries) { missing_ = entries; }
  bool find_site(std::uint32_t id, wire::SiteInfo* info) override;
  std::uint32_t sites_end() override { return static_cast<std::uint32_t>(sites_.size()); }
  bool find_logger(std::uint32_t id, std::string* name) override;
  bool is_missing(std::uint32_t id) override;

 private:
  void on_site(wire::SiteInfo site) override;
  void on_logger(wire::LoggerInfo logger) override;
  void on_thread(wire::ThreadInfo) override {}

  std::size_t most_sites_ = 0;  // ids are dense, so more than the bytes can hold are a lie
  std::uint32_t missing_ = 0;
  std::vector<std::unique_ptr<wire::SiteInfo>> sites_;
  std::vector<std::unique_ptr<std::string>> loggers_;
};

}  // namespace steno::staging
