#include "reader/log_set.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"

namespace steno::reader {

Result<std::unique_ptr<LogFile>> LogSet::open(const std::string& path, std::vector<Extra> extra) {
  OpenOptions options = options_;
  if (options.index_from != UINT64_MAX) {
    const std::uint64_t left = options.index_from - std::min(options.index_from, opened_bytes_);
    options.index_from = std::max(left, std::min(options.index_from, kLeastIndexed));
  }
  auto file = LogFile::open(path, &ordinals_, std::move(extra), options);
  if (file.ok()) opened_bytes_ += (*file)->size();
  return file;
}

Status LogSet::add(const std::vector<std::shared_ptr<ByteSource>>& sources) {
  constexpr std::size_t kAtOnce = 32;  // threads that wait more than they compute
  std::vector<Result<std::unique_ptr<LogFile>>> fetched;
  for (std::size_t i = 0; i < sources.size(); ++i) fetched.emplace_back(std::unique_ptr<LogFile>());
  in_parallel(sources.size(), 1, static_cast<unsigned>(std::min(sources.size(), kAtOnce)),
              [&](unsigned, std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) fetched[i] = LogFile::fetch(sources[i], options_);
              });
  std::vector<std::unique_ptr<LogFile>> files;
  for (auto& one : fetched) {
    auto file = LogFile::open(std::move(one), &ordinals_, options_);
    if (!file.ok()) return file.status();
    files.push_back(std::move(file).value());
  }
  for (auto& file : files) add(std::move(file));
  return {};
}

}  // namespace steno::reader
