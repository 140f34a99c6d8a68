// Prints the records of a set of files: read, ordered and formatted by several threads, written in order.
//
// A worker takes the next slab from the planner, decodes and orders it, formats it into its own buffer, and hands that
// over. The worker whose slab is next in the output writes what is ready, and streams its own slab. So the output does
// not depend on the number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/work_meter.h"
#include "lines/line_format.h"
#include "output/output.h"
#include "output/selection.h"
#include "reader/slab_planner.h"

namespace steno::cli {

struct PrintOptions {
  reader::ReadOptions read;
  unsigned jobs = 1;
  // Bounds what is formatted but not written, and the size of slabs. Blocks whose times overlap are held regardless of
  // it.
  std::size_t memory = std::size_t{256} << 20;
  std::optional<std::uint64_t> tail;  // only the last ones
  bool reverse = false;               // the last one first; what is printed is held in memory
  bool begins = true;                 // with what the format puts before its first line
};

class Printing {
 public:
  using MakeFormat = std::function<std::unique_ptr<LineFormat>()>;  // one a thread

  // Logs, output and meter must outlive this. `selection` may be nullptr: all that is wanted.
  Printing(const reader::LogSet& logs, const PrintOptions& options, MakeFormat make_format,
           std::unique_ptr<Selection> selection, Output* output, WorkMeter* meter = nullptr);
  ~Printing();

  // False: nobody reads any more, or the selection has ended before the log did.
  bool run();

  // How many records, those around matches included; with `tail`, at least that many of those found.
  std::uint64_t printed() const { return printed_; }
  std::vector<reader::DecodeFailure> failures() const { return pool_.failures(logs_); }

 private:
  struct Worker;
  // A slab's text, ready to be written.
  struct Text {
    ByteBuffer bytes;
    std::vector<std::size_t> lines;  // where each begins; only for the tail
    std::uint64_t records = 0;       // of the slab, for the meter
  };

  bool run_once();
  bool run_tail();
  void work();
  bool plan(Worker& worker);
  bool select(Worker& worker);
  bool print(Worker& worker);
  void append(Worker& worker, std::span<const reader::Slice> slices);
  bool format(Worker& worker, std::span<const reader::Slice> slices);
  bool make_way(Worker& worker);
  bool hand_over(Worker& worker);
  bool write(Text& text);
  void keep_tail(std::unique_ptr<Text> text);
  void write_tail();
  void write_backwards();
  std::uint64_t most_lines() const { return options_.tail.value_or(UINT64_MAX); }
  bool keeps_lines() const { return options_.tail.has_value() || options_.reverse; }
  void stop();
  std::unique_ptr<Text> take_text();

  const reader::LogSet& logs_;
  const PrintOptions options_;
  const MakeFormat make_format_;
  Output* const output_;
  WorkMeter* const meter_;
  reader::BlockPool pool_;
  const std::unique_ptr<Selection> selection_;  // may hold blocks of the pool

  std::atomic<std::uint64_t> printed_ = 0;
  std::mutex plan_mutex_;
  std::optional<reader::SlabPlanner> planner_;
  std::uint64_t planned_ = 0;
  bool enough_ = false;  // the selection is done, or stopped_

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::uint64_t selected_ = 0;  // slabs before this have been through the selection
  std::uint64_t turn_ = 0;      // this one writes
  std::map<std::uint64_t, std::unique_ptr<Text>> ready_;
  std::size_t ready_bytes_ = 0;
  std::vector<std::unique_ptr<Text>> spare_;
  std::deque<std::unique_ptr<Text>> tail_;
  std::uint64_t tail_lines_ = 0;
  bool stopped_ = false;
};

}  // namespace steno::cli
