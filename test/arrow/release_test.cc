// Tests ownership: Arrow's rules of release, and which object outlives which.
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "arrow_consumer.h"
#include "query/random_log.h"
#include "reader/temp_file.h"
#include "steno/reader.h"

namespace steno {
namespace {

using test::ArrowTable;
using test::TempFile;

BatchOptions all_columns() {
  BatchOptions options;
  options.columns = {"time", "level", "thread", "logger", "message"};
  return options;
}

// Counts the calls of release of every node of a tree, and hands each on.
template <class Struct>
struct Counted {
  using Release = void (*)(Struct*);
  static inline std::map<const void*, std::pair<Release, int>> nodes;

  static void count(Struct* one) {
    auto& [release, calls] = nodes.at(one->private_data);
    ++calls;
    one->release = release;
    release(one);
    EXPECT_EQ(one->release, nullptr);
  }
  static void wrap(Struct* one) {
    nodes[one->private_data] = {one->release, 0};
    one->release = &count;
    for (std::int64_t i = 0; i < one->n_children; ++i) wrap(one->children[i]);
    if (one->dictionary != nullptr) wrap(one->dictionary);
  }
  static void expect_all_once(std::size_t count) {
    EXPECT_EQ(nodes.size(), count);
    for (const auto& [node, calls] : nodes) EXPECT_EQ(calls.second, 1);
    nodes.clear();
  }
};

class Release : public ::testing::Test {
 protected:
  Release() : file_(test::random_log(3, false, 3, 200).bytes) {
    auto log = LogReader::open({file_.path()});
    EXPECT_TRUE(log.ok());
    EXPECT_TRUE(log->for_each_batch(all_columns(),
                                    [this](const Batch& batch) {
                                      batch.export_arrow(&schema_, &array_);
                                      return false;
                                    })
                    .ok());
  }  // the LogReader is gone

  TempFile file_;
  ArrowSchema schema_{};
  ArrowArray array_{};
};

TEST_F(Release, EveryNodeOnce) {
  ArrowTable table;
  read_schema(schema_, &table);
  read_array(schema_, array_, &table);
  EXPECT_FALSE(table.rows.empty());
  Counted<ArrowSchema>::wrap(&schema_);
  Counted<ArrowArray>::wrap(&array_);
  schema_.release(&schema_);
  array_.release(&array_);
  Counted<ArrowSchema>::expect_all_once(1 + 5 + 3);  // level, thread and logger have dictionaries
  Counted<ArrowArray>::expect_all_once(1 + 5 + 3);
}

TEST_F(Release, ChildrenCanBeMovedOut) {
  ArrowTable table;
  read_schema(schema_, &table);
  read_array(schema_, array_, &table);
  Counted<ArrowArray>::wrap(&array_);
  ArrowArray thread = *array_.children[2];
  array_.children[2]->release = nullptr;
  ArrowArray message = *array_.children[4];
  array_.children[4]->release = nullptr;
  array_.release(&array_);
  ASSERT_NE(thread.release, nullptr);

  // A batch of the two that are left, as a consumer makes it.
  ArrowArray* children[] = {&thread, &message};
  ArrowSchema* fields[] = {schema_.children[2], schema_.children[4]};
  const void* no_validity[1] = {};
  ArrowArray two{thread.length, 0, 0, 1, 2, no_validity, children, nullptr, [](ArrowArray*) {}, nullptr};
  ArrowSchema of_two = schema_;
  of_two.n_children = 2;
  of_two.children = fields;
  ArrowTable moved;
  read_array(of_two, two, &moved);
  ASSERT_EQ(moved.rows.size(), table.rows.size());
  for (std::size_t i = 0; i < moved.rows.size(); ++i) {
    EXPECT_EQ(moved.rows[i][0], table.rows[i][2]);
    EXPECT_EQ(moved.rows[i][1], table.rows[i][4]);
  }
  thread.release(&thread);
  message.release(&message);
  Counted<ArrowArray>::expect_all_once(1 + 5 + 3);
  ArrowSchema format = *schema_.children[1];
  schema_.children[1]->release = nullptr;
  schema_.release(&schema_);
  EXPECT_STREQ(format.name, "level");
  EXPECT_STREQ(format.dictionary->format, "u");
  EXPECT_EQ(format.flags, ARROW_FLAG_DICTIONARY_ORDERED);
  format.release(&format);
}

TEST_F(Release, ExportedBatchesStayAsTheyWere) {
  schema_.release(&schema_);
  array_.release(&array_);
  auto log = LogReader::open({file_.path()});
  ASSERT_TRUE(log.ok());
  BatchOptions options = all_columns();
  options.max_rows = 7;
  std::vector<ArrowArray> arrays;
  ArrowTable at_once;
  ArrowSchema schema{};
  const auto visit = [&](const Batch& batch) {
    if (arrays.size() % 3 == 2) return arrays.emplace_back(), void();  // some stay with the reader, which reuses them
    ArrowArray array;
    batch.export_arrow(schema.release == nullptr ? &schema : nullptr, &array);
    arrays.push_back(array);
    read_array(schema, array, &at_once);
    ArrowArray again;  // each has its own
    batch.export_arrow(nullptr, &again);
    again.release(&again);
  };
  ASSERT_TRUE(log->for_each_batch(options, visit).ok());
  ArrowTable later;
  for (ArrowArray& array : arrays) {
    if (array.release == nullptr) continue;
    read_array(schema, array, &later);
    std::thread([&array] { array.release(&array); }).join();
  }
  EXPECT_GT(later.rows.size(), 14u);
  EXPECT_EQ(at_once.rows, later.rows);
  schema.release(&schema);
}

TEST_F(Release, StreamOutlivesItsReader) {
  schema_.release(&schema_);
  array_.release(&array_);
  ArrowArrayStream stream;
  std::size_t records = 0;
  {
    auto log = LogReader::open({file_.path()});
    ASSERT_TRUE(log.ok());
    log->for_each([&](const Record&) { ++records; });
    ASSERT_TRUE(log->stream(all_columns(), &stream).ok());
    const LogReader moved = std::move(log).value();
  }
  ArrowTable table;
  std::thread([&] { table = test::read_stream(&stream); }).join();
  EXPECT_EQ(table.rows.size(), records);
}

TEST_F(Release, StreamThatIsNotReadToItsEnd) {
  auto log = LogReader::open({file_.path()});
  ASSERT_TRUE(log.ok());
  ArrowArrayStream stream;
  ASSERT_TRUE(log->stream(all_columns(), &stream).ok());
  ArrowArray array;
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  stream.release(&stream);
  ArrowTable table;
  read_array(schema_, array, &table);  // outlives the stream
  EXPECT_FALSE(table.rows.empty());
  array.release(&array);
  schema_.release(&schema_);
  array_.release(&array_);
}

}  // namespace
}  // namespace steno
