// Reads a log as columns: sums up an argument, and hands a batch to Arrow.
#include <steno/log.h>
#include <steno/reader.h>
#include <steno/session.h>

#include <cstdio>

namespace {

void write_log() {
  std::remove("orders.steno");  // of the last time: a session appends
  steno::start("orders.steno");
  for (int i = 1; i <= 1000; ++i)
    STENO_INFO("filled {qty} @ {price:.2f} for {client}", i, 0.5 * i, i % 2 ? "acme" : "zeta");
  steno::stop();
}

int fail(const steno::Status& status) {
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}

}  // namespace

int main() {
  write_log();
  auto log = steno::LogReader::open({"orders.steno"});
  if (!log.ok()) return fail(log.status());

  steno::BatchOptions options;
  options.shape = steno::BatchOptions::Shape::kStatement;
  options.statement = "filled {qty}";  // a part of the format that no other has
  options.columns = {"qty", "price"};
  options.where = "client == 'acme' and qty > 900";

  double value = 0;
  steno::Status status = log->for_each_batch(options, [&](const steno::Batch& batch) {
    const auto* qty = batch.columns()[0].data<int>();
    const auto* price = batch.columns()[1].data<double>();
    for (std::size_t i = 0; i < batch.rows(); ++i) value += qty[i] * price[i];
  });
  if (!status.ok()) return fail(status);
  std::printf("value: %.1f\n", value);

  // The same as a stream, which pyarrow, DuckDB, Polars and others import as it is.
  ArrowArrayStream stream;
  status = log->stream(options, &stream);
  if (!status.ok()) return fail(status);
  long rows = 0;
  for (;;) {
    ArrowArray batch;
    if (stream.get_next(&stream, &batch) != 0 || batch.release == nullptr) break;
    rows += batch.length;
    batch.release(&batch);
  }
  stream.release(&stream);
  std::printf("rows: %ld\n", rows);
}
