#include "reader/loss_text.h"

#include "reader/message.h"

namespace steno::reader {

std::string with_commas(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::uint64_t n, const char* one, const char* many) {
  return with_commas(n) + " " + (n == 1 ? one : many);
}

void append_drops(std::span<const text::Value> values, ByteBuffer& out) {
  const std::string text = std::to_string(values[0].bits) + " records dropped here: the ring was full since " +
                           iso_time(static_cast<std::int64_t>(values[1].bits));
  out.put_bytes(text.data(), text.size());
}

std::string describe(const Damage& damage) {
  const std::string bytes = counted(damage.size, "byte", "bytes");
  const std::string where = bytes + " at offset " + std::to_string(damage.offset);
  switch (damage.kind) {
    case DamageKind::kBytes:
      return where + " are damaged and were skipped: " + damage.reason;
    case DamageKind::kTornTail:
    case DamageKind::kCutShort:
      return where + " are no whole block: " + damage.reason;
    case DamageKind::kZeros:
      return where + " are a hole: " + damage.reason;
    case DamageKind::kContent:
      return "a block of " + where + " cannot be used: " + damage.reason;
    case DamageKind::kNewer:
      return where + " were not read: " + damage.reason;
  }
  return where;
}

namespace {

std::string records(std::uint64_t n) {
  return counted(n, "record", "records");
}

std::string session_name(const LogFile& file, std::size_t index) {
  if (index >= file.sessions().size()) return "the file";
  const Session& session = *file.sessions()[index];
  std::string name = "session " + std::to_string(index + 1);
  if (session.known) name += " (pid " + std::to_string(session.info.pid) + ")";
  return name;
}

}  // namespace

std::string span_of(const Loss& loss) {
  std::string text;
  if (loss.from_wall != INT64_MIN) text += " after " + iso_time(loss.from_wall);
  if (loss.to_wall != INT64_MAX) text += std::string(text.empty() ? "" : " and") + " before " + iso_time(loss.to_wall);
  return text;
}

std::string describe(const LogFile& file, const Loss& loss) {
  const std::string session = session_name(file, loss.session);
  switch (loss.cause) {
    case LossCause::kDamage:
      return describe(Damage{loss.damage_kind, loss.offset, loss.size, loss.reason});
    case LossCause::kMissing:
      return records(loss.records) + " of " + session + (loss.thread.empty() ? "" : ", thread " + loss.thread) +
             " missing" + span_of(loss) + " (ring " + std::to_string(loss.ring) + ", from number " +
             std::to_string(loss.first_seq) + ")";
    case LossCause::kDropped:
      return records(loss.records) + " of " + session + " dropped by policy: a ring was full";
    case LossCause::kDiscarded:
      return (loss.records != 0 ? records(loss.records) : "records") + " of " + session + " discarded: " +
             (loss.reason.empty() ? "they could not be logged, or not be read; the log says why" : loss.reason);
    case LossCause::kNoEnd:
      return session + " has no end, and its staging is not here: what it logged after its last block is unknown";
    case LossCause::kUnprintable:
      return records(loss.records) + " of " + session +
             " cannot be printed: the dictionary entry of their statement is missing";
    case LossCause::kStrings:
      return counted(loss.records, "value", "values") + " of " + session +
             " missing: the strings that they share with others are damaged";
    case LossCause::kTotals:
      return records(loss.records) + " of " + session + " missing: its end block counts more than there are";
  }
  return session;
}

}  // namespace steno::reader
