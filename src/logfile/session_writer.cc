#include "logfile/session_writer.h"

namespace steno::logfile {
namespace {

// Where the next byte goes; of a pipe, which has no positions, in what it was given.
std::uint64_t position_of(const OutputFile& file) {
  return file.end() != 0 ? file.end() : file.bytes_written();
}

}  // namespace

void SessionWriter::begin(std::uint64_t session_id, format::SessionTag tag) {
  tag_ = tag;
  stretch_ended_ = false;
  index_.begin(session_id);
  declarations_.begin();
}

Status SessionWriter::write(OutputFile& file, const ByteBuffer& blocks, const format::BlockInput* input) {
  Status status = file.write(blocks);
  declarations_.wrote(blocks, status.ok() ? position_of(file) : position_of(file) + blocks.size());
  if (!status.ok()) return status;
  if (file.end() != 0) index_.wrote(blocks, input, file.end());
  say_again(file, false);
  if (!file.stuck()) write_index(file, BlockIndex::kEvery);
  return {};
}

void SessionWriter::finish(OutputFile& file) {
  say_again(file, true);
  if (!file.stuck()) write_index(file, BlockIndex::kAtEnd);
}

void SessionWriter::say_again(OutputFile& file, bool session_ends) {
  out_.clear();
  declarations_.append_due(position_of(file), tag_, session_ends, &out_);
  if (out_.empty() || !file.write(out_).ok() || file.end() == 0) return;
  index_.wrote(out_, nullptr, file.end());
}

void SessionWriter::write_index(OutputFile& file, std::uint64_t least) {
  if (file.end() == 0 || !index_.due(least)) return;
  out_.clear();
  index_.append(file.end(), tag_, &out_);
  const Status status = out_.empty() ? Status() : file.write(out_);
  stretch_ended_ = true;
  if (status.ok()) index_.wrote(out_, nullptr, file.end());
}

}  // namespace steno::logfile
