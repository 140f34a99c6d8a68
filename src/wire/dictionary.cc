#include "wire/dictionary.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/checksum.h"
#include "base/early.h"

namespace steno::wire {
namespace {

enum class Kind : std::uint8_t { kSite = 1, kLogger = 2, kThread = kThreadEntry };

void append_framed(ByteBuffer& out, Kind kind, const ByteBuffer& body) {
  out.put(static_cast<std::uint8_t>(kind));
  out.put_varint(body.size());
  out.put_bytes(body.data(), body.size());
}

// Ids are 32 bits wide everywhere; a wider one is damage.
bool narrow(std::uint64_t v, std::uint32_t* out) {
  *out = static_cast<std::uint32_t>(v);
  return v <= UINT32_MAX;
}

bool read_meanings(ByteReader& body, SiteInfo* site) {
  const std::uint64_t count = body.get_varint();
  if (count > site->types.size()) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    TypeMeaning meaning;
    if (!narrow(body.get_varint(), &meaning.type) || meaning.type >= site->types.size()) return false;
    if (!site->meanings.empty() && meaning.type <= site->meanings.back().type) return false;
    meaning.text = body.get_string();
    if (!body.ok() || meaning.text.empty()) return false;
    site->meanings.push_back(std::move(meaning));
  }
  return body.ok();
}

bool read_site(ByteReader body, SiteInfo* site) {
  bool good = narrow(body.get_varint(), &site->id);
  site->stable_id = body.get<std::uint64_t>();
  const auto level = body.get<std::uint8_t>();
  const auto style = body.get<std::uint8_t>();
  good = good && level < kLevelCount && style <= 1;
  site->level = static_cast<Level>(level);
  site->style = static_cast<Style>(style);
  good = narrow(body.get_varint(), &site->line) && good;
  site->format = body.get_string();
  site->file = body.get_string();
  site->function = body.get_string();
  site->types = body.get_string();
  if (!good || !body.ok() || body.at_end()) return good && body.ok();
  const std::uint64_t fields = body.get_varint();
  if (fields > site->types.size()) return false;
  for (std::uint64_t i = 0; i < fields; ++i) site->context.emplace_back(body.get_string());
  return body.ok() && (body.at_end() || read_meanings(body, site));
}

SiteInfo builtin(std::uint32_t id, const char* format, const char* types, Level level = Level::kWarn) {
  SiteInfo site;
  site.id = id;
  site.level = level;
  site.format = format;
  site.file = "steno";
  site.types = types;
  site.stable_id = stable_site_id(site);
  return site;
}

}  // namespace

std::uint64_t stable_site_id(const SiteInfo& site) {
  std::string key;
  key.reserve(site.file.size() + site.format.size() + site.types.size() + 2);
  key.append(site.file).push_back('\0');
  key.append(site.format).push_back('\0');
  key.append(site.types);
  for (const TypeMeaning& meaning : site.meanings) {
    key.push_back('\0');
    key.append(std::to_string(meaning.type)).push_back(' ');
    key.append(meaning.text);
  }
  return xxh3(key.data(), key.size());
}

void append_entry(ByteBuffer& out, const SiteInfo& site) {
  ByteBuffer body;
  body.put_varint(site.id);
  body.put(site.stable_id);
  body.put(static_cast<std::uint8_t>(site.level));
  body.put(static_cast<std::uint8_t>(site.style));
  body.put_varint(site.line);
  body.put_string(site.format);
  body.put_string(site.file);
  body.put_string(site.function);
  body.put_string(site.types);
  if (!site.context.empty() || !site.meanings.empty()) body.put_varint(site.context.size());
  for (const std::string& name : site.context) body.put_string(name);
  if (!site.meanings.empty()) body.put_varint(site.meanings.size());
  for (const TypeMeaning& meaning : site.meanings) {
    body.put_varint(meaning.type);
    body.put_string(meaning.text);
  }
  append_framed(out, Kind::kSite, body);
}

void append_entry(ByteBuffer& out, const LoggerInfo& logger) {
  ByteBuffer body;
  body.put_varint(logger.id);
  body.put_string(logger.name);
  append_framed(out, Kind::kLogger, body);
}

void append_entry(ByteBuffer& out, const ThreadInfo& thread) {
  ByteBuffer body;
  body.put_varint(thread.index);
  body.put_varint(thread.tid);
  body.put_string(thread.name);
  append_framed(out, Kind::kThread, body);
}

std::uint32_t count_entries(const ByteBuffer& entries) {
  ByteReader in(entries.data(), entries.size());
  std::uint32_t count = 0;
  while (!in.at_end()) {
    (void)in.get<std::uint8_t>();
    if (in.take(in.get_varint()) == nullptr) break;
    ++count;
  }
  return count;
}

bool read_dictionary(const void* bytes, std::size_t size, DictionaryVisitor& visitor) {
  ByteReader in(bytes, size);
  while (!in.at_end()) {
    const auto kind = in.get<std::uint8_t>();
    const std::uint64_t length = in.get_varint();
    const std::uint8_t* p = in.take(length);
    if (p == nullptr) return false;
    ByteReader body(p, length);
    if (kind == static_cast<std::uint8_t>(Kind::kSite)) {
      SiteInfo site;
      if (!read_site(body, &site)) return false;
      visitor.on_site(std::move(site));
    } else if (kind == static_cast<std::uint8_t>(Kind::kLogger)) {
      LoggerInfo logger;
      const bool good = narrow(body.get_varint(), &logger.id);
      logger.name = body.get_string();
      if (!good || !body.ok()) return false;
      visitor.on_logger(std::move(logger));
    } else if (kind == static_cast<std::uint8_t>(Kind::kThread)) {
      ThreadInfo thread;
      const bool good = narrow(body.get_varint(), &thread.index);
      thread.tid = body.get_varint();
      thread.name = body.get_string();
      if (!good || !body.ok()) return false;
      visitor.on_thread(std::move(thread));
    }
  }
  return true;
}

const SiteInfo* protocol_site(std::uint32_t id) {
  // Never destroyed: the last session ends after the destructors of static objects.
  static const auto* const sites = new std::array<SiteInfo, std::size(kProtocolSites)>{
      builtin(kSiteDropped, "{records} records dropped here: the ring was full since tick {since}", "mm"),
      builtin(kSiteDiscarded, "{records} records discarded: {reason}", "mS"),
      builtin(kSiteDied, "process {pid} ({program}) died at about {time}: {account}", "mSSS"),
      builtin(kSiteRecorder, "flight recorder: {records} records kept, {overwritten} before them not: {reason}", "mmS",
              Level::kNotice),
  };
  const auto found = std::find_if(sites->begin(), sites->end(), [id](const SiteInfo& site) { return site.id == id; });
  return found != sites->end() ? &*found : nullptr;
}
STENO_MAKE_EARLY(protocol_site(kSiteDropped))

}  // namespace steno::wire
