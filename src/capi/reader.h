// The object behind a steno_reader of <steno/c_reader.h>.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steno/c_reader.h"
#include "steno/reader.h"

struct steno_reader {
  explicit steno_reader(steno::LogReader opened) : log(std::move(opened)) {}

  steno::LogReader log;
  steno::ReadFilter filter;
  std::optional<steno::RecordCursor> records;  // once the first is read
  const steno::Record* record = nullptr;       // the last one

  // The texts that the last record's views point at, each ended by a NUL.
  struct {
    std::string message, logger, thread, file, function, format;
  } texts;
  std::deque<std::string> names;  // of its fields; where they are they stay
  std::vector<steno::LossFacts> losses;
  std::vector<steno::LossFacts> known_losses;

  struct Site {
    std::string format, file, function, types;
    steno_site_facts facts;  // whose texts these are
  };
  std::optional<std::deque<Site>> sites;  // once they are asked for
  std::optional<std::vector<steno::ThreadFacts>> threads;
};

namespace steno::capi {
// Over the defaults.
Result<BatchOptions> batch_options(const steno_stream_options* given);
// Converts options that a program gave, likewise.
Result<ReadOptions> read_options(const steno_reader_options* given);
}  // namespace steno::capi
