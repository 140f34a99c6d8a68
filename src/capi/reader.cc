// Records for C (steno/c_reader.h).
#include "capi/reader.h"

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capi/code.h"

namespace steno::capi {
namespace {

const char* keep(std::string_view text, std::string* in) {
  in->assign(text);
  return in->c_str();
}

std::deque<steno_reader::Site> distinct_sites(const LogReader& log) {
  std::deque<steno_reader::Site> sites;  // where they are they stay
  std::unordered_set<std::uint64_t> known;
  for (const SiteFacts& of : log.sites()) {
    if (!known.insert(of.stable_id).second) continue;
    steno_reader::Site& site = sites.emplace_back();
    site.facts.format = keep(of.format, &site.format);
    site.facts.file = keep(of.file, &site.file);
    site.facts.function = keep(of.function, &site.function);
    site.facts.types = keep(of.types, &site.types);
    site.facts.stable_id = of.stable_id;
    site.facts.line = of.line;
    site.facts.level = static_cast<steno_level>(of.level);
  }
  return sites;
}

steno_reader_options reader_defaults() {
  const ReadOptions options;
  steno_reader_options c{};
  c.size = sizeof c;
  c.decoded_bytes = options.limits.decoded_bytes;
  c.memory = options.limits.memory;
  c.copied_bytes = options.limits.copied_bytes;
  c.statements = options.limits.statements;
  c.fields = options.limits.fields;
  c.show_secrets = options.show_secrets;
  c.map_files = options.map_files;
  return c;
}

ReadOptions translate(const steno_reader_options& c) {
  ReadOptions options;
  options.limits.decoded_bytes = c.decoded_bytes;
  options.limits.memory = c.memory;
  options.limits.copied_bytes = c.copied_bytes;
  options.limits.statements = c.statements;
  options.limits.fields = c.fields;
  options.show_secrets = c.show_secrets;
  options.map_files = c.map_files;
  return options;
}

bool hand_out_loss(const std::vector<steno::LossFacts>& losses, std::size_t loss, steno_loss* out, std::size_t size) {
  if (loss >= losses.size()) return false;
  const steno::LossFacts& of = losses[loss];
  const steno_loss c = {of.text.c_str(), of.path.c_str(), of.offset, of.size, of.records};
  hand_out(c, out, size);
  return true;
}

}  // namespace

Result<ReadOptions> read_options(const steno_reader_options* given) {
  steno_reader_options known = reader_defaults();
  if (Status status = read_options(given, &known, "STENO_READER_OPTIONS"); !status.ok()) return status;
  return translate(known);
}

}  // namespace steno::capi

using namespace steno::capi;

extern "C" {

void steno_reader_options_init(steno_reader_options* options, size_t size) {
  options_init(reader_defaults(), options, size);
}

steno_reader* steno_reader_open(const char* const* paths, size_t count, steno_error* error) {
  return steno_reader_open_with(paths, count, nullptr, error);
}

steno_reader* steno_reader_open_with(const char* const* paths, size_t count, const steno_reader_options* options,
                                     steno_error* error) {
  steno_reader* opened = nullptr;
  (void)guarded(error, [&]() -> steno::Status {
    if (count == 0) return {steno::StatusCode::kInvalidArgument, "no file to read"};
    const auto known = read_options(options);
    if (!known.ok()) return known.status();
    auto log = steno::LogReader::open(std::vector<std::string>(paths, paths + count), *known);
    if (!log.ok()) return log.status();
    opened = new steno_reader(std::move(log).value());
    return {};
  });
  return opened;
}

void steno_reader_close(steno_reader* reader) {
  delete reader;
}

size_t steno_reader_sessions(const steno_reader* reader) {
  return reader->log.sessions().size();
}

bool steno_reader_session(const steno_reader* reader, size_t session, steno_session_facts* facts, size_t size) {
  if (session >= reader->log.sessions().size()) return false;
  const steno::SessionFacts& of = reader->log.sessions()[session];
  steno_session_facts c{};
  c.path = of.path.c_str();
  c.program = of.program.c_str();
  c.host = of.host.c_str();
  c.session_id = of.session_id;
  c.pid = of.pid;
  c.utc_offset = of.utc_offset;
  c.start_ns = of.start_ns;
  c.records = of.records;
  c.ended = of.ended;
  c.died = of.died;
  hand_out(c, facts, size);
  return true;
}

bool steno_reader_site(steno_reader* reader, size_t site, steno_site_facts* facts, size_t size) {
  return guarded_or(false, [&] {
    if (!reader->sites) reader->sites = distinct_sites(reader->log);
    if (site >= reader->sites->size()) return false;
    hand_out((*reader->sites)[site].facts, facts, size);
    return true;
  });
}

bool steno_reader_thread(steno_reader* reader, size_t thread, steno_thread_facts* facts, size_t size) {
  return guarded_or(false, [&] {
    if (!reader->threads) reader->threads = reader->log.threads();
    if (thread >= reader->threads->size()) return false;
    const steno::ThreadFacts& of = (*reader->threads)[thread];
    const steno_thread_facts c = {of.name.c_str(), of.tid, of.session};
    hand_out(c, facts, size);
    return true;
  });
}

void steno_reader_rewind(steno_reader* reader, steno_level min_level, bool sort) {
  reader->records.reset();
  reader->record = nullptr;
  reader->filter.min_level = static_cast<steno::Level>(min_level);
  reader->filter.sort = sort;
}

int steno_reader_next(steno_reader* reader, steno_record* record, size_t size, steno_error* error) {
  const steno_code code = guarded(error, [&]() -> steno::Status {
    reader->record = nullptr;
    if (!reader->records) reader->records.emplace(reader->log.records(reader->filter));
    const steno::Record* const next = reader->records->next();
    if (next == nullptr) return reader->log.source_status();
    auto& texts = reader->texts;
    texts.message.clear();
    next->append_message(&texts.message);
    const steno::SiteFacts site = next->site();
    steno_record c{};
    c.time_ns = next->time_ns();
    c.level = static_cast<steno_level>(site.level);
    c.line = site.line;
    c.message = texts.message.c_str();
    c.message_size = texts.message.size();
    c.logger = keep(next->logger(), &texts.logger);
    c.thread = keep(next->thread(), &texts.thread);
    c.file = keep(site.file, &texts.file);
    c.function = keep(site.function, &texts.function);
    c.format = keep(site.format, &texts.format);
    c.thread_id = next->thread_id();
    c.stable_id = site.stable_id;
    c.session = next->session();
    c.fields = next->argument_count();
    hand_out(c, record, size);
    reader->record = next;
    return {};
  });
  return code != STENO_OK ? -1 : reader->record != nullptr ? 1 : 0;
}

bool steno_reader_field(steno_reader* reader, size_t field, steno_field* out, size_t size) {
  if (reader->record == nullptr || field >= reader->record->argument_count()) return false;
  return guarded_or(false, [&] {
    const steno::Argument argument = reader->record->argument(field);
    if (reader->names.size() <= field) reader->names.resize(field + 1);
    steno_field c{};
    c.type = static_cast<char>(argument.type());
    c.is_null = argument.is_null();
    c.name = keep(argument.name(), &reader->names[field]);
    c.as_int64 = argument.as_int64();
    c.as_uint64 = argument.as_uint64();
    c.as_double = argument.as_double();
    c.string = argument.as_string().data();
    c.string_size = argument.as_string().size();
    c.bytes16 = argument.bytes16();
    hand_out(c, out, size);
    return true;
  });
}

bool steno_reader_loss(steno_reader* reader, size_t loss, steno_loss* out, size_t size) {
  return guarded_or(false, [&] {
    if (loss == 0) reader->losses = reader->log.losses();
    return hand_out_loss(reader->losses, loss, out, size);
  });
}

bool steno_reader_known_loss(steno_reader* reader, size_t loss, steno_loss* out, size_t size) {
  return guarded_or(false, [&] {
    if (loss == 0) reader->known_losses = reader->log.known_losses();
    return hand_out_loss(reader->known_losses, loss, out, size);
  });
}

}  // extern "C"
