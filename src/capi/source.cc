// Logs that C programs fetch (steno/c_reader.h).
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "capi/code.h"
#include "capi/reader.h"
#include "steno/byte_source.h"

namespace steno::capi {
namespace {

class CSource final : public ByteSource {
 public:
  explicit CSource(const steno_source& source)
      : source_(source), name_(source.name != nullptr ? source.name : "a source") {}
  ~CSource() override {
    if (source_.release != nullptr) source_.release(source_.context);
  }
  CSource(const CSource&) = delete;
  CSource& operator=(const CSource&) = delete;

  std::string name() const override { return name_; }
  std::uint64_t size() const override { return source_.bytes; }
  Status read(const Range* ranges, std::size_t count) override {
    std::vector<steno_range> wanted;
    for (std::size_t i = 0; i < count; ++i) wanted.push_back({ranges[i].offset, ranges[i].size, ranges[i].to});
    steno_error error{};
    const steno_code code = source_.read(source_.context, wanted.data(), count, &error);
    if (code == STENO_OK) return {};
    error.text[sizeof error.text - 1] = 0;
    return {StatusCode::kIoError, error.text[0] != 0 ? error.text : "cannot be read"};
  }

 private:
  const steno_source source_;
  const std::string name_;
};

}  // namespace
}  // namespace steno::capi

using namespace steno::capi;

extern "C" {

steno_reader* steno_reader_open_sources(const steno_source* sources, size_t count, const steno_reader_options* options,
                                        steno_error* error) {
  steno_reader* opened = nullptr;
  (void)guarded(error, [&]() -> steno::Status {
    std::vector<std::shared_ptr<steno::ByteSource>> all;
    bool are_sound = count != 0;
    for (size_t i = 0; i < count; ++i) {
      are_sound &= sources[i].size == sizeof *sources && sources[i].read != nullptr;
      all.push_back(std::make_shared<CSource>(sources[i]));
    }
    if (!are_sound) return {steno::StatusCode::kInvalidArgument, "no source, or one without its size or read"};
    const auto known = read_options(options);
    if (!known.ok()) return known.status();
    auto log = steno::LogReader::open_sources(all, *known);
    if (!log.ok()) return log.status();
    opened = new steno_reader(std::move(log).value());
    return {};
  });
  return opened;
}

}  // extern "C"
