// The state that LogReader, its batches and its streams share.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "reader/log_set.h"
#include "reader/shared_block.h"
#include "steno/reader.h"

namespace steno {

namespace api {
SiteFacts facts_of(const wire::SiteInfo& info);
}  // namespace api

// Immutable but for the failures, which streams in other threads may add to. Streams hold it, so they may outlive the
// LogReader.
struct LogReader::Impl {
  explicit Impl(const ReadOptions& options);

  reader::LogSet logs;
  std::uint64_t most_memory;          // ReadLimits::memory
  std::vector<std::string> problems;  // of staging that could not be read
  std::vector<SessionFacts> sessions;
  std::unordered_map<const reader::Session*, std::size_t> session_index;

  // Once all files are open.
  void take_facts();
  // The failure of a ByteSource that was met since a RecordCursor was made.
  Status source_failure() const;
  // Each block is reported only once, even if several readers meet it.
  void add_failures(const std::vector<reader::DecodeFailure>& met);
  std::vector<reader::DecodeFailure> get_failures() const;

 private:
  mutable std::mutex mutex_;
  std::vector<reader::DecodeFailure> failures_;
};

}  // namespace steno
