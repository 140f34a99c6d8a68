#include "web/line_json.h"

#include "lines/json_value.h"
#include "output/chosen_blocks.h"
#include "reader/message.h"
#include "web/groups.h"
#include "web/take_number.h"

namespace steno::cli::web {
namespace {

std::string_view text_in(const ByteBuffer& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string id_of(const reader::LogFile& file, const reader::BlockEntry& entry, std::uint32_t record) {
  const reader::RunEntry& run = run_of(file, entry, record);
  return session_name(*file.sessions()[entry.session]) + "-" + std::to_string(run.ring) + "-" +
         std::to_string(run.first_seq + (record - run.start));
}

std::optional<query::RecordRef> find_record(const reader::LogSet& logs, std::string_view id) {
  std::uint64_t session_id = 0;
  std::uint32_t ring_number = 0;
  std::uint64_t sequence = 0;
  if (!take_number(&id, '-', &session_id, 16) || !take_number(&id, '-', &ring_number) ||
      !take_number(&id, '-', &sequence) || !id.empty()) {
    return std::nullopt;
  }
  for (std::size_t f = 0; f < logs.files().size(); ++f) {
    const reader::LogFile& file = *logs.files()[f];
    for (const auto& session : file.sessions()) {
      if (session->info.session_id != session_id) continue;
      for (const reader::RingEntry& ring : session->rings) {
        if (ring.ring != ring_number) continue;
        for (const std::uint64_t r : ring.runs) {
          const reader::RunEntry& run = file.runs()[r];
          if (sequence < run.first_seq + run.repeated || sequence >= run.seq_end()) continue;
          query::RecordRef ref;
          ref.file = static_cast<std::uint32_t>(f);
          ref.block = run.block;
          ref.record = run.start + static_cast<std::uint32_t>(sequence - run.first_seq);
          reader::DecodedBlock block;
          if (!block.decode_clocks(file, file.blocks()[run.block]).ok() || !block.decode_order().ok()) return {};
          ref.wall = block.wall(ref.record);
          ref.began = session->began();
          return ref;
        }
      }
    }
  }
  return std::nullopt;
}

// Cuts between two characters of UTF-8.
std::string_view LineJson::cut(std::string_view text, bool* is_cut) const {
  if (text.size() <= most_bytes_) return text;
  *is_cut = true;
  std::size_t end = most_bytes_;
  while (end != 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// True: it was cut.
bool LineJson::append_value(const text::Value& value, const text::Meaning* meaning, Json* out) {
  bool is_cut = false;
  if (is_string(value.type) && value.string.size() > most_bytes_) {
    text_.clear();
    text::print_value(value, nullptr, text_);
    out->text(cut(text_in(text_), &is_cut));
    return is_cut;
  }
  text_.clear();
  lines::append_json_value(value, meaning, text_, lines::BigIntegers::kTexts);
  out->raw(text_in(text_));
  return false;
}

bool LineJson::append_values(const reader::Slice& slice, std::span<const text::Value> values, bool of_context,
                             Json* out) {
  const reader::Site& site = *slice.block->group(slice.begin).site;
  const std::size_t own = site.info().argument_types().size();
  bool is_cut = false;
  out->begin('[');
  for (std::size_t i = 0; i < values.size(); ++i) {
    if ((i >= own) != of_context || site.presences().is_field(i)) continue;
    const text::Meaning* meaning = site.meaning(i);
    out->begin('{');
    out->name("name").text(site.argument_names()[i]);
    out->name("value");
    if (site.presences().is_absent(i, values)) {
      out->null();
    } else {
      is_cut |= append_value(values[i], meaning, out);
    }
    if (meaning != nullptr && !meaning->unit().empty()) out->name("unit").text(meaning->unit());
    out->end('}');
  }
  out->end(']');
  return is_cut;
}

void LineJson::append(const reader::Slice& slice, Json* out) {
  const std::uint32_t record = slice.begin;
  const reader::DecodedGroup& group = slice.block->group(record);
  const wire::SiteInfo& info = group.site->info();
  const format::SessionBlock& session = slice.block->session().info;
  const std::span<const text::Value> values = row_.of(slice, record);
  out->begin('{');
  out->name("id").text(id_of(slice.block->file(), slice.block->entry(), record));
  out->name("time").exact(slice.block->wall(record));
  out->name("level").text(level_name(info.level));
  out->name("logger").text(group.logger->info.name);
  out->name("program").text(session.program);
  out->name("host").text(session.host);
  out->name("pid").number(session.pid);
  append_cell(query::Cell::of(slice.thread->info.tid), &out->name("tid"));
  out->name("thread").text(slice.thread->display());
  out->name("file").text(info.file);
  out->name("line").number(info.line);
  out->name("site").text(info.file + ":" + std::to_string(info.line));
  out->name("text").text(info.format);
  bool is_cut = false;
  text_.clear();
  reader::append_message(group, values, text_);
  out->name("message").text(cut(text_in(text_), &is_cut));
  is_cut |= append_values(slice, values, false, &out->name("args"));
  is_cut |= append_values(slice, values, true, &out->name("context"));
  if (is_cut) out->name("cut").boolean(true);
  out->end('}');
}

}  // namespace steno::cli::web
