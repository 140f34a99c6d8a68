#include "reader/log_set.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"

namespace steno::reader {

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
