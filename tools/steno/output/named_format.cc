#include "output/named_format.h"

namespace steno::cli {
namespace {

class NamedFormat final : public LineFormat {
 public:
  NamedFormat(std::unique_ptr<LineFormat> format, LineKind kind, std::string path)
      : format_(std::move(format)), kind_(kind), path_(std::move(path)) {}

  void begin(ByteBuffer& out) override {
    if (kind_ == LineKind::kCsv) put(out, "path,");
    format_->begin(out);
  }

  // Record by record, for what a line is depends on the format.
  void append(std::span<const reader::Slice> slices, ByteBuffer& out) override {
    for (reader::Slice slice : slices) {
      const std::string& own = slice.block->file().path();
      const std::string& path = own.empty() ? path_ : own;
      for (const std::uint32_t end = slice.end; slice.begin < end; slice.begin = slice.end) {
        slice.end = slice.begin + 1;
        append_record(path, slice, out);
      }
    }
  }

  void append_gap(ByteBuffer& out) override { format_->append_gap(out); }

 private:
  void append_record(const std::string& path, const reader::Slice& slice, ByteBuffer& out) {
    record_.clear();
    format_->append({&slice, 1}, record_);
    if (record_.empty()) return;
    std::size_t done = 0;
    switch (kind_) {
      case LineKind::kText:
        put(out, escaped(path, Escape::kTerminal) + ": ");
        break;
      case LineKind::kJson:
        put(out, "{\"path\":\"" + json_escaped(path) + "\",");
        done = 1;  // its own brace
        break;
      case LineKind::kCsv:
        append_csv(path, out);
        put(out, ",");
        break;
      case LineKind::kLogfmt:
        put(out, "path=\"" + json_escaped(path) + "\" ");
        break;
    }
    out.put_bytes(record_.data() + done, record_.size() - done);
  }

  std::unique_ptr<LineFormat> format_;
  LineKind kind_;
  std::string path_;
  ByteBuffer record_;
};

}  // namespace

std::unique_ptr<LineFormat> name_files_in(std::unique_ptr<LineFormat> format, LineKind kind, std::string path) {
  return std::make_unique<NamedFormat>(std::move(format), kind, std::move(path));
}

}  // namespace steno::cli
