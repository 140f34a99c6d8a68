// A batch stream of a log, read to its end.
#pragma once

#include <gtest/gtest.h>

#include "arrow_consumer.h"
#include "steno/batch.h"
#include "steno/reader.h"

namespace steno::test {

inline ArrowTable pull(LogReader& log, const BatchOptions& options) {
  ArrowArrayStream stream;
  const Status status = log.stream(options, &stream);
  EXPECT_TRUE(status.ok()) << status.message();
  return status.ok() ? read_stream(&stream) : ArrowTable();
}

}  // namespace steno::test
