#include "output/printing.h"

#include <algorithm>
#include <unordered_map>

#include "base/parallel.h"

namespace steno::cli {
namespace {

constexpr std::uint32_t kMostInBatch = 1024;  // records that are formatted between looks at the buffer
constexpr std::size_t kLeastBuffer = std::size_t{1} << 20;
constexpr std::size_t kBytesARecord = 1024;         // decoded, ordered and formatted, generously
constexpr std::uint32_t kSlabOfSeveral = 1u << 15;  // records at a time for each of several threads

reader::ReadOptions read_options(const PrintOptions& options, const LineFormat& format) {
  reader::ReadOptions read = options.read;
  read.decode.packed_strings = format.takes_packed_strings();
  read.jobs = options.jobs;
  // Text that is ready waits in memory until it is its turn: smaller pieces stay in the caches.
  if (options.jobs > 1) read.slab_records = std::min(read.slab_records, kSlabOfSeveral);
  const std::size_t fits = options.memory / (kBytesARecord * std::max(options.jobs, 1u));
  read.slab_records = static_cast<std::uint32_t>(std::clamp<std::size_t>(fits, 1024, read.slab_records));
  return read;
}

// How many slices from `first` on are formatted together; a gap is alone.
std::size_t batch_at(const Slices& slices, std::size_t first, std::uint32_t most) {
  std::uint32_t records = 0;
  std::size_t end = first;
  for (; end < slices.size() && slices[end].block != nullptr; ++end) {
    records += slices[end].end - slices[end].begin;
    if (records > most) break;
  }
  return std::max<std::size_t>(end - first, 1);
}

}  // namespace

struct Printing::Worker {
  std::unique_ptr<LineFormat> format;
  reader::SlabOrder order;
  reader::Slab slab;
  Slices slices;
  std::uint32_t batch = 1;   // records that are formatted next: about as many as fill a chunk
  std::uint64_t number = 0;  // of the slab
  std::unique_ptr<Text> text;
};

Printing::Printing(const reader::LogSet& logs, const PrintOptions& options, MakeFormat make_format,
                   std::unique_ptr<Selection> selection, Output* output, WorkMeter* meter)
    : logs_(logs),
      options_(options),
      make_format_(std::move(make_format)),
      output_(output),
      meter_(meter),
      pool_(read_options(options, *make_format_())),
      selection_(std::move(selection)) {}

Printing::~Printing() = default;

bool Printing::run() {
  if (options_.begins) make_format_()->begin(output_->buffer());
  if (!output_->flush()) return false;
  if (keeps_lines()) return run_tail();
  planner_.emplace(logs_, pool_);
  return run_once();
}

// Reads only the end of the log: a part with as many matching records as will be printed. If few match, a larger part.
bool Printing::run_tail() {
  constexpr std::uint64_t kFirstStretch = 1 << 16;
  constexpr std::uint64_t kGrowth = 8;
  const reader::ReadOptions& read = pool_.options();
  const bool all_wanted = read.filter == nullptr && read.decode.min_level == Level::kTrace;
  std::uint64_t stretch = all_wanted ? most_lines() : std::max(most_lines(), kFirstStretch);
  for (;; stretch = std::max(stretch, stretch * kGrowth)) {
    const reader::LastRecords last = reader::find_last_records(logs_, read.sort, std::max<std::uint64_t>(stretch, 1));
    planner_.emplace(logs_, pool_, last);
    if (!run_once()) return false;
    if (last.all || tail_lines_ >= most_lines()) break;
    planned_ = turn_ = tail_lines_ = 0;
    tail_.clear();
  }
  options_.reverse ? write_backwards() : write_tail();
  return output_->good();
}

bool Printing::run_once() {
  if (meter_ != nullptr) meter_->add_total(planner_->records());
  in_parallel(options_.jobs, 1, options_.jobs, [this](unsigned, std::size_t, std::size_t) { work(); });
  return output_->good() && !enough_;
}

void Printing::work() {
  try {
    Worker worker;
    worker.format = make_format_();
    while (plan(worker) && select(worker) && print(worker) && hand_over(worker)) {
    }
  } catch (...) {
    stop();  // nobody is to wait for this worker
    throw;
  }
}

void Printing::stop() {
  {
    const std::lock_guard lock(plan_mutex_);
    enough_ = true;
  }
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

// Takes the next slab; false: there is none.
bool Printing::plan(Worker& worker) {
  worker.slices.clear();
  worker.slab = {};
  if (meter_ != nullptr) meter_->check();
  const std::lock_guard lock(plan_mutex_);
  if (enough_ || !planner_->next(&worker.slab)) return false;
  worker.number = planned_++;
  return true;
}

// Puts the slab in order and finds out what of it is printed.
bool Printing::select(Worker& worker) {
  worker.order.run(worker.slab, pool_.options(), &worker.slices);
  if (selection_ != nullptr) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return selected_ == worker.number || stopped_; });
    if (stopped_) return false;
    lock.unlock();  // it is this worker's turn alone
    selection_->take(&worker.slab, &worker.slices);
    if (selection_->done()) {
      const std::lock_guard plan_lock(plan_mutex_);
      enough_ = true;
    }
    lock.lock();
    ++selected_;
    changed_.notify_all();
  }
  if (options_.tail) keep_last(most_lines(), &worker.slices);
  return true;
}

// Formats the slab.
bool Printing::print(Worker& worker) {
  worker.text = take_text();
  worker.text->records = worker.slab.records;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
  }
  std::unordered_map<const reader::DecodedBlock*, reader::SharedBlock*> owners;
  if (pool_.options().keep_all) {
    for (const auto& block : worker.slab.blocks) owners[&block->block()] = block.get();
  }
  if (!owners.empty()) {
    std::erase_if(worker.slices, [&](const reader::Slice& slice) {
      return slice.block != nullptr && !owners[slice.block]->load_columns();
    });
  }
  for (std::size_t first = 0; first < worker.slices.size();) {
    const std::size_t count = batch_at(worker.slices, first, worker.batch);
    if (!format(worker, std::span(worker.slices).subspan(first, count))) return false;
    first += count;
  }
  return true;
}

// Messages can be of 16 MiB each, so what was long makes the next batch short; it doubles while they are not.
void Printing::append(Worker& worker, std::span<const reader::Slice> slices) {
  std::uint64_t records = 0;
  for (const reader::Slice& slice : slices) records += slice.end - slice.begin;
  printed_ += records;
  const std::size_t before = worker.text->bytes.size();
  worker.format->append(slices, worker.text->bytes);
  const std::size_t size = worker.text->bytes.size() - before;
  worker.batch = size > Output::kChunk ? std::max(worker.batch / 2, 1u) : std::min(worker.batch * 2, kMostInBatch);
}

// Formats slices that are a batch together, or one that is more.
bool Printing::format(Worker& worker, std::span<const reader::Slice> slices) {
  ByteBuffer& bytes = worker.text->bytes;
  if (slices[0].block == nullptr) {
    worker.format->append_gap(bytes);
    return true;
  }
  if (slices.size() > 1 && !keeps_lines()) {
    append(worker, slices);
    return bytes.size() < Output::kChunk || make_way(worker);
  }
  for (reader::Slice slice : slices) {
    for (const std::uint32_t end = slice.end; slice.begin < end; slice.begin = slice.end) {
      // For the tail, each line's beginning is to be known.
      slice.end = slice.begin + std::min(end - slice.begin, keeps_lines() ? 1 : worker.batch);
      if (keeps_lines()) worker.text->lines.push_back(bytes.size());
      append(worker, {&slice, 1});
      if (bytes.size() >= Output::kChunk && !make_way(worker)) return false;
    }
  }
  return true;
}

// Writes what has gathered if it is this worker's turn, or waits for that if it is too much.
bool Printing::make_way(Worker& worker) {
  if (keeps_lines()) return true;
  {
    std::unique_lock lock(mutex_);
    const std::size_t most = std::max(kLeastBuffer, options_.memory / (4 * std::size_t{options_.jobs}));
    if (turn_ != worker.number && worker.text->bytes.size() < most) return !stopped_;
    changed_.wait(lock, [&] { return turn_ == worker.number || stopped_; });
    if (stopped_) return false;
  }
  return write(*worker.text);
}

bool Printing::write(Text& text) {
  const bool good = output_->write(text.bytes);
  text.bytes.clear();
  if (!good) stop();
  return good;
}

// Passes the slab's text on, and writes what is ready if it is this worker's turn.
bool Printing::hand_over(Worker& worker) {
  worker.slab = {};  // not to be held while waiting
  std::unique_lock lock(mutex_);
  const std::size_t size = worker.text->bytes.size();
  changed_.wait(lock, [&] { return turn_ == worker.number || stopped_ || ready_bytes_ + size <= options_.memory / 2; });
  if (stopped_) return false;
  ready_bytes_ += size;
  ready_[worker.number] = std::move(worker.text);
  if (turn_ != worker.number) return true;
  for (auto next = ready_.begin(); next != ready_.end() && next->first == turn_; next = ready_.begin()) {
    std::unique_ptr<Text> text = std::move(next->second);
    ready_.erase(next);
    ready_bytes_ -= text->bytes.size();
    if (meter_ != nullptr) meter_->add_done(text->records);
    if (keeps_lines()) {
      keep_tail(std::move(text));
    } else {
      lock.unlock();
      if (!write(*text)) return false;
      lock.lock();
      spare_.push_back(std::move(text));
    }
    ++turn_;
    changed_.notify_all();
  }
  return true;
}

std::unique_ptr<Printing::Text> Printing::take_text() {
  const std::lock_guard lock(mutex_);
  if (spare_.empty()) return std::make_unique<Text>();
  auto text = std::move(spare_.back());
  spare_.pop_back();
  return text;
}

void Printing::keep_tail(std::unique_ptr<Text> text) {
  if (text->lines.empty()) return;
  tail_lines_ += text->lines.size();
  tail_.push_back(std::move(text));
  while (!tail_.empty() && tail_lines_ - tail_.front()->lines.size() >= most_lines()) {
    tail_lines_ -= tail_.front()->lines.size();
    tail_.pop_front();
  }
}

void Printing::write_tail() {
  std::uint64_t excess = tail_lines_ - std::min(tail_lines_, most_lines());
  for (const auto& text : tail_) {
    const std::size_t from = excess < text->lines.size() ? text->lines[excess] : text->bytes.size();
    excess -= std::min<std::uint64_t>(excess, text->lines.size());
    output_->buffer().put_bytes(text->bytes.data() + from, text->bytes.size() - from);
    if (!output_->flush()) return;
  }
}

void Printing::write_backwards() {
  std::uint64_t left = most_lines();
  for (auto text = tail_.rbegin(); text != tail_.rend() && left != 0; ++text) {
    const ByteBuffer& bytes = (*text)->bytes;
    std::size_t end = bytes.size();
    for (auto line = (*text)->lines.rbegin(); line != (*text)->lines.rend() && left != 0; ++line, --left) {
      output_->buffer().put_bytes(bytes.data() + *line, end - *line);
      end = *line;
      if (output_->buffer().size() >= Output::kChunk && !output_->flush()) return;
    }
    if (!output_->flush()) return;
  }
}

}  // namespace steno::cli
