#include "steno/reader.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "api/log_reader_impl.h"
#include "follow/open_log.h"
#include "reader/loss_text.h"
#include "reader/losses.h"
#include "reader/merge.h"
#include "reader/message.h"

namespace steno {

SiteFacts api::facts_of(const wire::SiteInfo& info) {
  SiteFacts facts;
  facts.id = info.id;
  facts.stable_id = info.stable_id;
  facts.level = info.level;
  facts.printf_style = info.style == wire::Style::kPrintf;
  facts.line = info.line;
  facts.format = info.format;
  facts.file = info.file;
  facts.function = info.function;
  facts.types = info.types;
  return facts;
}

namespace {

SessionFacts facts_of(const reader::LogFile& file, const reader::Session& session) {
  SessionFacts facts;
  facts.path = file.path();
  facts.session_id = session.info.session_id;
  facts.pid = session.info.pid;
  facts.start_ns = session.info.start_wall;
  facts.utc_offset = session.info.utc_offset;
  facts.program = session.info.program;
  facts.host = session.info.host;
  facts.steno_version = session.info.steno_version;
  facts.records = session.records;
  facts.ended = session.end && !session.end->died;
  facts.died = session.end && session.end->died;
  return facts;
}

// IEEE binary128 rounded to double; the fraction is cut to 64 bits, which is more than a double has.
double from_binary128(const std::uint8_t* p) {
  const auto high = load<std::uint64_t>(p + 8);
  const int exponent = static_cast<int>(high >> 48 & 0x7FFF);
  const std::uint64_t fraction = high << 16 | load<std::uint64_t>(p) >> 48;
  double value = std::ldexp(static_cast<double>(fraction), -64) + (exponent != 0 ? 1 : 0);
  if (exponent == 0x7FFF) {
    value = (fraction != 0) ? NAN : INFINITY;
  } else {
    value = std::ldexp(value, (exponent != 0 ? exponent : 1) - 16383);
  }
  return (high >> 63) != 0 ? -value : value;
}

// x87 extended: an explicit leading bit, so 64 bits of significand.
double from_extended(const std::uint8_t* p) {
  const auto significand = load<std::uint64_t>(p);
  const auto top = load<std::uint16_t>(p + 8);
  const int exponent = top & 0x7FFF;
  double value;
  if (exponent == 0x7FFF) {
    value = (significand << 1) != 0 ? NAN : INFINITY;
  } else {
    value = std::ldexp(static_cast<double>(significand), (exponent != 0 ? exponent : 1) - 16383 - 63);
  }
  return (top >> 15) != 0 ? -value : value;
}

}  // namespace

double Argument::as_double() const {
  switch (type_) {
    case ArgType::kF32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits_));
    case ArgType::kF64:
      return std::bit_cast<double>(bits_);
    case ArgType::kF80:
      return wide_ != nullptr ? from_extended(wide_) : 0;
    case ArgType::kF128:
      return wide_ != nullptr ? from_binary128(wide_) : 0;
    case ArgType::kI128:
      return wide_ != nullptr ? static_cast<double>(load<__int128>(wide_)) : 0;
    case ArgType::kU128:
      return wide_ != nullptr ? static_cast<double>(load<unsigned __int128>(wide_)) : 0;
    default:
      if (is_string(type_)) return 0;
      return is_signed_integer(type_) ? static_cast<double>(as_int64()) : static_cast<double>(bits_);
  }
}

void Argument::append_text(std::string* out) const {
  text::Value value;
  value.type = type_;
  value.bits = bits_;
  value.wide = wide_;
  value.string = string_;
  ByteBuffer text;
  text::print_value(value, printed_as_, text);
  out->append(reinterpret_cast<const char*>(text.data()), text.size());
}

struct Record::Impl {
  reader::Slice slice;
  std::uint32_t at = 0;
  std::size_t session = 0;
  std::string thread;
  const reader::Thread* thread_named = nullptr;  // whose name `thread` is
  std::vector<text::Value> values;
  bool has_values = false;
  ByteBuffer text;

  const reader::DecodedGroup& group() const { return slice.block->group(at); }
  const std::vector<text::Value>& get_values() {
    if (!has_values) {
      values.resize(group().columns);
      slice.block->values(at, values.data());
      has_values = true;
    }
    return values;
  }
};

std::int64_t Record::time_ns() const {
  return impl_->slice.block->wall(impl_->at);
}
std::uint64_t Record::ticks() const {
  return impl_->slice.block->ticks(impl_->at);
}
Level Record::level() const {
  return impl_->group().site->info().level;
}
std::string_view Record::logger() const {
  return impl_->group().logger->info.name;
}
std::uint64_t Record::thread_id() const {
  return impl_->slice.thread->info.tid;
}
SiteFacts Record::site() const {
  return api::facts_of(impl_->group().site->info());
}
std::size_t Record::session() const {
  return impl_->session;
}
std::size_t Record::argument_count() const {
  return impl_->group().columns - impl_->group().site->presences().count_fields();
}

std::string_view Record::thread() const {
  if (impl_->thread_named != impl_->slice.thread) {
    impl_->thread = impl_->slice.thread->display();
    impl_->thread_named = impl_->slice.thread;
  }
  return impl_->thread;
}

void Record::append_message(std::string* out) const {
  impl_->text.clear();
  reader::append_message(impl_->group(), impl_->get_values(), impl_->text);
  out->append(reinterpret_cast<const char*>(impl_->text.data()), impl_->text.size());
}

std::string Record::message() const {
  std::string text;
  append_message(&text);
  return text;
}

Argument Record::argument(std::size_t i) const {
  static constexpr unsigned char kWideZero[16] = {};
  const std::span<const text::Value> values = impl_->get_values();
  const reader::Site& site = *impl_->group().site;
  i = site.presences().type_of_value(i);
  const text::Value& value = values[i];
  Argument argument;
  argument.absent_ = site.presences().is_absent(i, values);
  argument.type_ = value.type;
  argument.name_ = site.argument_names()[i];
  if (!argument.absent_) {
    argument.bits_ = value.bits;
    argument.wide_ = value.wide;
    argument.string_ = value.string;
  } else if (value.wide != nullptr) {
    argument.wide_ = kWideZero;
  }
  argument.printed_as_ = site.meaning(i);
  if (argument.printed_as_ != nullptr) argument.meaning_ = argument.printed_as_->text();
  return argument;
}

namespace {

reader::OpenOptions open_options(const ReadOptions& options) {
  reader::OpenOptions open;
  open.access = options.map_files ? reader::FileBytes::Access::kMap : reader::FileBytes::Access::kCopy;
  open.limits = options.limits;
  return open;
}

}  // namespace

LogReader::Impl::Impl(const ReadOptions& options)
    : logs(options.show_secrets ? reader::Secrets::kShown : reader::Secrets::kRedacted, open_options(options)),
      most_memory(options.limits.memory) {}

void LogReader::Impl::take_facts() {
  const bool by_size = most_memory == 0;
  if (by_size) most_memory = std::uint64_t{1} << 30;
  std::uint64_t taken = 0;
  for (const auto& file : logs.files()) {
    if (by_size) most_memory += 64 * file->size();
    taken += file->unpacked_memory();
    for (const auto& session : file->sessions()) {
      session_index[session.get()] = sessions.size();
      sessions.push_back(facts_of(*file, *session));
    }
  }
  most_memory -= std::min(taken, most_memory / 2);
}

Status LogReader::Impl::source_failure() const {
  for (const auto& file : logs.files()) {
    if (Status failure = file->source_failure(); !failure.ok()) return failure;
  }
  return {};
}

void LogReader::Impl::add_failures(const std::vector<reader::DecodeFailure>& met) {
  const std::lock_guard lock(mutex_);
  for (const reader::DecodeFailure& failure : met) {
    const auto same = [&failure](const reader::DecodeFailure& known) {
      return known.file == failure.file && known.damage.offset == failure.damage.offset;
    };
    if (std::none_of(failures_.begin(), failures_.end(), same)) failures_.push_back(failure);
  }
}

std::vector<reader::DecodeFailure> LogReader::Impl::get_failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

LogReader::LogReader(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader& LogReader::operator=(LogReader&&) noexcept = default;
LogReader::~LogReader() = default;

Result<LogReader> LogReader::open(const std::vector<std::string>& paths, const ReadOptions& options) {
  auto impl = std::make_shared<Impl>(options);
  for (const std::string& path : paths) {
    if (Status status = follow::add_log(path, &impl->logs, &impl->problems); !status.ok()) return status;
  }
  impl->take_facts();
  return LogReader(std::move(impl));
}

Result<LogReader> LogReader::open_sources(const std::vector<std::shared_ptr<ByteSource>>& sources,
                                          const ReadOptions& options) {
  auto impl = std::make_shared<Impl>(options);
  if (Status status = impl->logs.add(sources); !status.ok()) return status;
  impl->take_facts();
  return LogReader(std::move(impl));
}

Status LogReader::source_status() const {
  return impl_->source_failure();
}

const std::vector<SessionFacts>& LogReader::sessions() const {
  return impl_->sessions;
}

std::vector<SiteFacts> LogReader::sites() const {
  std::vector<SiteFacts> sites;
  for (const auto& file : impl_->logs.files()) {
    for (const auto& session : file->sessions()) {
      for (const reader::Site& site : session->dictionary.sites()) {
        if (site.known() && site.info().id >= wire::kFirstUserSite) sites.push_back(api::facts_of(site.info()));
      }
    }
  }
  return sites;
}

std::vector<ThreadFacts> LogReader::threads() const {
  std::vector<ThreadFacts> threads;
  std::size_t index = 0;
  for (const auto& file : impl_->logs.files()) {
    for (const auto& session : file->sessions()) {
      for (const reader::Thread& thread : session->dictionary.all_threads()) {
        if (thread.known) threads.push_back({index, thread.info.tid, thread.display()});
      }
      ++index;
    }
  }
  return threads;
}

struct RecordCursor::Impl {
  Impl(std::shared_ptr<LogReader::Impl> log, const ReadFilter& filter)
      : log_(std::move(log)),
        min_level_(filter.min_level),
        merge_(log_->logs, options_of(*log_, filter)),
        record_(&state_) {}
  ~Impl() {
    try {
      log_->add_failures(merge_.failures());
    } catch (const std::exception&) {  // without memory they go unreported
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const Record* next() {
    for (;;) {
      for (; at_ < state_.slice.end; ++at_) {
        state_.at = at_;
        if (record_.level() < min_level_) continue;
        state_.has_values = false;
        ++at_;
        return &record_;
      }
      if (!merge_.next(&state_.slice) || !log_->source_failure().ok()) {
        at_ = state_.slice.end = 0;
        log_->add_failures(merge_.failures());
        return nullptr;
      }
      at_ = state_.slice.begin;
      state_.session = log_->session_index[&state_.slice.block->session()];
    }
  }

 private:
  static reader::ReadOptions options_of(const LogReader::Impl& log, const ReadFilter& filter) {
    reader::ReadOptions options;
    options.most_bytes = log.most_memory;
    options.sort = filter.sort;
    options.decode.min_level = filter.min_level;
    return options;
  }

  const std::shared_ptr<LogReader::Impl> log_;
  const Level min_level_;
  reader::Merge merge_;
  Record::Impl state_;
  const Record record_;
  std::uint32_t at_ = 0;
};

RecordCursor::RecordCursor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordCursor::RecordCursor(RecordCursor&&) noexcept = default;
RecordCursor& RecordCursor::operator=(RecordCursor&&) noexcept = default;
RecordCursor::~RecordCursor() = default;

const Record* RecordCursor::next() {
  return impl_->next();
}

RecordCursor LogReader::records(const ReadFilter& filter) {
  for (const auto& file : impl_->logs.files()) file->forget_failure();
  return RecordCursor(std::make_unique<RecordCursor::Impl>(impl_, filter));
}

void LogReader::visit(const ReadFilter& filter, Visitor visitor, void* context) {
  for (const auto& file : impl_->logs.files()) file->forget_failure();
  RecordCursor::Impl cursor(impl_, filter);
  while (const Record* record = cursor.next()) {
    if (!visitor(context, *record)) return;
  }
}

std::vector<LossFacts> LogReader::losses() const {
  return find_losses(true);
}

std::vector<LossFacts> LogReader::known_losses() const {
  return find_losses(false);
}

std::vector<LossFacts> LogReader::find_losses(bool in_unread) const {
  std::vector<LossFacts> all;
  for (const auto& file : impl_->logs.files()) file->forget_failure();
  for (const std::string& problem : impl_->problems) all.push_back({"", 0, 0, 0, problem});
  for (const auto& file : impl_->logs.files()) {
    for (const reader::Loss& loss : reader::find_losses(*file, {.unread = in_unread}).losses) {
      all.push_back({file->path(), loss.offset, loss.size, loss.records, describe(*file, loss)});
    }
  }
  if (const Status failure = impl_->source_failure(); !failure.ok()) {
    all.push_back({"", 0, 0, 0, "not all could be read: " + failure.message()});
  }
  for (const reader::DecodeFailure& failure : impl_->get_failures()) {
    const reader::Damage& damage = failure.damage;
    all.push_back({failure.file->path(), damage.offset, damage.size, 0, reader::describe(damage)});
  }
  return all;
}

}  // namespace steno
