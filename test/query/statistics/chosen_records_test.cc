#include "query/statistics/chosen_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "../reader/file_builder.h"
#include "../reader/temp_file.h"

namespace steno::query {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

// Sessions of a program that follow one another, each in a file, and all records have one time.
std::vector<std::unique_ptr<TempFile>> files_of_one_time() {
  std::vector<std::unique_ptr<TempFile>> files;
  for (std::int64_t s = 0; s < 3; ++s) {
    FileBuilder builder;
    builder.session(900 - static_cast<std::uint64_t>(s), 3, 4242, FileBuilder::kStart + s);
    builder.site(16, Level::kInfo, "n {}", "m").thread(0, 1, "t");
    for (std::uint64_t i = 0; i < 3; ++i) builder.log(0, 16, FileBuilder::kStart + 100, Args().u64(i));
    files.push_back(std::make_unique<TempFile>(builder.end().bytes()));
  }
  return files;
}

// The records come page after page, as the web page shows them.
std::vector<std::int64_t> in_pages(const Subject& subject, TimeOrder order, std::size_t size) {
  std::vector<std::int64_t> found;
  std::optional<RecordRef> beyond;
  for (;;) {
    const std::vector<RecordRef> page = find_in_order(subject, order, size, beyond).records;
    if (page.empty()) return found;
    for (const RecordRef& ref : page) found.push_back(3 * (ref.began - FileBuilder::kStart) + ref.record);
    beyond = page.back();
  }
}

TEST(ChosenRecords, OfOneTimeAreInTheOrderInWhichSessionsBegan) {
  const auto files = files_of_one_time();
  const std::vector<std::int64_t> expected = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::size_t> named = {0, 1, 2};
  do {
    reader::LogSet logs;
    for (const std::size_t f : named) ASSERT_TRUE(logs.add(files[f]->path()).ok());
    Subject subject;
    subject.logs = &logs;
    for (const std::size_t size : {2, 4, 100}) {
      EXPECT_EQ(in_pages(subject, TimeOrder::kOldest, size), expected);
      std::vector<std::int64_t> newest = in_pages(subject, TimeOrder::kNewest, size);
      std::reverse(newest.begin(), newest.end());
      EXPECT_EQ(newest, expected);
    }
  } while (std::next_permutation(named.begin(), named.end()));
}

}  // namespace
}  // namespace steno::query
