#include "rewrite/proof.h"

#include <map>
#include <string_view>
#include <unordered_map>

#include "base/checksum.h"
#include "reader/decoded_block.h"

namespace steno::cli {
namespace {

// A digest of a session, whatever the order of its records in the file.
struct Digest {
  std::uint64_t records = 0;
  std::uint64_t sum = 0;
  std::uint64_t product = 1;  // of odd numbers: what a sum alone could miss
  std::uint64_t about = 0;    // process, host and end

  bool operator==(const Digest&) const = default;
};

class Hasher {
 public:
  void put(std::uint64_t number) { text_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void put(std::string_view text) {
    put(text.data() == nullptr ? UINT64_MAX : text.size());
    text_.append(text);
  }
  std::uint64_t take() {
    const std::uint64_t hash = xxh3(text_.data(), text_.size());
    text_.clear();
    return hash;
  }

 private:
  std::string text_;
};

std::uint64_t hash_of(const wire::SiteInfo& info) {
  ByteBuffer bytes;
  wire::append_entry(bytes, info);
  return xxh3(bytes.data(), bytes.size());
}

std::uint64_t about(const reader::Session& session) {
  Hasher hasher;
  const format::SessionBlock& info = session.info;
  for (const std::uint64_t n : {std::uint64_t{info.pid}, static_cast<std::uint64_t>(info.start_wall),
                                static_cast<std::uint64_t>(info.utc_offset), std::uint64_t{info.clock_kind}}) {
    hasher.put(n);
  }
  hasher.put(info.program);
  hasher.put(info.host);
  hasher.put(info.steno_version);
  hasher.put(session.end ? session.end->records + 1 : 0);
  if (session.end) {
    hasher.put(session.end->died ? 1 : 0);
    for (const format::RingTotal& ring : session.end->rings) {
      for (const std::uint64_t n : {std::uint64_t{ring.ring}, ring.seq, ring.position, ring.dropped}) hasher.put(n);
    }
  }
  return hasher.take();
}

class Reading {
 public:
  Status add(const reader::LogFile& file) {
    for (const auto& session : file.sessions()) {
      Digest& digest = digests_[session->info.session_id];
      // A session that is in several files has its end in the last part only.
      if (session->end || digest.about == 0) digest.about = about(*session);
    }
    for (const reader::BlockEntry& entry : file.blocks()) {
      if (Status status = block_.decode(file, entry, {}); !status.ok()) return status;
      add_block(file, entry);
    }
    return {};
  }
  const std::map<std::uint64_t, Digest>& digests() const { return digests_; }

 private:
  void add_block(const reader::LogFile& file, const reader::BlockEntry& entry) {
    const reader::Session& session = block_.session();
    Digest& digest = digests_[session.info.session_id];
    const auto runs = std::span(file.runs()).subspan(entry.first_run, entry.runs);
    for (const reader::RunEntry& run : runs) {
      const reader::Thread& thread = *session.dictionary.thread(run.thread, entry.offset);
      for (std::uint32_t i = run.start + run.repeated; i < run.start + run.records; ++i) {
        hasher_.put(run.ring);
        hasher_.put(run.first_seq + (i - run.start));
        hasher_.put(thread.info.tid);
        hasher_.put(thread.info.name);
        put_record(i);
        const std::uint64_t hash = hasher_.take();
        ++digest.records;
        digest.sum += hash;
        digest.product *= hash | 1;
      }
    }
  }

  void put_record(std::uint32_t i) {
    const reader::DecodedGroup& group = block_.group(i);
    hasher_.put(block_.ticks(i));
    hasher_.put(static_cast<std::uint64_t>(block_.wall(i)));
    hasher_.put(site_hash(*group.site));
    hasher_.put(group.logger->info.name);
    values_.resize(group.columns);
    block_.values(i, values_.data());
    for (const text::Value& value : values_) {
      if (is_string(value.type)) {
        hasher_.put(value.string);
      } else if (fixed_size(value.type) == 16) {
        hasher_.put(std::string_view(reinterpret_cast<const char*>(value.wide), 16));
      } else {
        hasher_.put(value.bits);
      }
    }
  }

  std::uint64_t site_hash(const reader::Site& site) {
    const auto [found, added] = sites_.try_emplace(&site, 0);
    if (added) found->second = hash_of(site.written_info());
    return found->second;
  }

  reader::DecodedBlock block_;
  Hasher hasher_;
  std::vector<text::Value> values_;
  std::unordered_map<const reader::Site*, std::uint64_t> sites_;
  std::map<std::uint64_t, Digest> digests_;  // by session
};

}  // namespace

Status prove_same(const reader::LogSet& logs, const std::string& rewritten) {
  reader::LogSet written(reader::Secrets::kShown, reader::kCheckAll);
  if (Status status = written.add(rewritten); !status.ok()) return status;
  Reading before;
  for (const auto& file : logs.files()) {
    if (Status status = before.add(*file); !status.ok()) return status;
  }
  Reading after;
  for (const auto& file : written.files()) {
    if (!file->damage().empty()) return {StatusCode::kCorrupt, "the new file is damaged; nothing was changed"};
    if (Status status = after.add(*file); !status.ok()) return status;
  }
  auto found = before.digests();
  std::erase_if(found, [](const auto& session) { return session.second.records == 0; });
  if (found == after.digests()) return {};
  return {StatusCode::kCorrupt, "the new file does not say what the old ones say; nothing was changed"};
}

}  // namespace steno::cli
