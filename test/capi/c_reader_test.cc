// Reading from C (steno/c_reader.h).
#include <gtest/gtest.h>
#include <steno/c_reader.h>
#include <steno/log.h>
#include <steno/read_limits.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "../session/log_test.h"
#include "read.h"

namespace steno_test {
namespace {

class CReaderTest : public LogTest {
 protected:
  void write() {
    start();
    const steno::Logger net = steno::logger("net", steno::Level::kTrace);
    STENO_DEBUG("below what is read");
    STENO_INFO("filled {qty} @ {price:.1f} for {client}", 5, 2.5, "alice");
    STENO_LOG_TO(net, WARN, "size {}", 7u);
    STENO_ERRORF("%s: %d", static_cast<const char*>(nullptr), -3);
    steno::stop();
  }
  steno_error error_{};
};

TEST_F(CReaderTest, RecordsAndFields) {
  write();
  char* text = c_read_log(path().c_str(), &error_);
  ASSERT_NE(text, nullptr) << error_.text;
  EXPECT_STREQ(text,
               "INFO  filled 5 @ 2.5 for alice qty=5 price=2.5 client=alice\n"
               "WARN net size 7 0=7\n"
               "ERROR  (null): -3 0=null 1=-3\n");
  std::free(text);
}

TEST_F(CReaderTest, FactsSessionsAndLosses) {
  write();
  const std::string name = path();
  const char* paths[] = {name.c_str()};
  steno_reader* reader = steno_reader_open(paths, 1, &error_);
  ASSERT_NE(reader, nullptr) << error_.text;
  ASSERT_EQ(steno_reader_sessions(reader), 1u);
  steno_session_facts facts;
  ASSERT_TRUE(steno_reader_session(reader, 0, &facts, sizeof facts));
  EXPECT_FALSE(steno_reader_session(reader, 1, &facts, sizeof facts));
  EXPECT_EQ(facts.path, name);
  EXPECT_EQ(facts.records, 4u);
  EXPECT_TRUE(facts.ended);
  steno_thread_facts thread;
  ASSERT_TRUE(steno_reader_thread(reader, 0, &thread, sizeof thread));
  EXPECT_EQ(thread.session, 0u);
  EXPECT_EQ(thread.tid, static_cast<std::uint64_t>(::gettid()));
  EXPECT_STRNE(thread.name, "");
  EXPECT_FALSE(steno_reader_thread(reader, 1, &thread, sizeof thread));
  steno_field field;
  EXPECT_FALSE(steno_reader_field(reader, 0, &field, sizeof field));  // no record yet
  // A program of an earlier version knows less of a record, and nothing beyond is touched.
  steno_record record;
  std::memset(&record, 0x55, sizeof record);
  ASSERT_EQ(steno_reader_next(reader, &record, offsetof(steno_record, logger), &error_), 1);
  EXPECT_STREQ(record.message, "below what is read");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(record.logger), 0x5555555555555555u);
  ASSERT_EQ(steno_reader_next(reader, &record, sizeof record, &error_), 1);
  EXPECT_NE(std::string(record.file).find("c_reader_test.cc"), std::string::npos);
  EXPECT_STREQ(record.format, "filled {qty} @ {price:.1f} for {client}");
  EXPECT_EQ(record.fields, 3u);
  EXPECT_EQ(record.session, 0u);
  steno_loss loss;
  EXPECT_FALSE(steno_reader_loss(reader, 0, &loss, sizeof loss));
  int rest = 0;
  while (steno_reader_next(reader, &record, sizeof record, &error_) == 1) ++rest;
  EXPECT_EQ(rest, 2);
  EXPECT_EQ(steno_reader_next(reader, &record, sizeof record, &error_), 0);
  steno_reader_rewind(reader, STENO_LEVEL_ERROR, false);
  ASSERT_EQ(steno_reader_next(reader, &record, sizeof record, &error_), 1);
  EXPECT_EQ(record.level, STENO_LEVEL_ERROR);
  EXPECT_EQ(steno_reader_next(reader, &record, sizeof record, &error_), 0);
  steno_reader_close(reader);
  // A file that lost its end.
  std::filesystem::resize_file(name, std::filesystem::file_size(name) - 20);
  reader = steno_reader_open(paths, 1, &error_);
  ASSERT_NE(reader, nullptr) << error_.text;
  EXPECT_TRUE(steno_reader_loss(reader, 0, &loss, sizeof loss));
  EXPECT_GT(std::strlen(loss.text), 0u);
  EXPECT_TRUE(steno_reader_known_loss(reader, 0, &loss, sizeof loss));
  EXPECT_GT(std::strlen(loss.text), 0u);
  EXPECT_FALSE(steno_reader_known_loss(reader, 1000, &loss, sizeof loss));
  steno_reader_close(reader);
  steno_reader_close(nullptr);
}

TEST_F(CReaderTest, SecretsAreRedacted) {
  const std::string name = STENO_SOURCE_DIR "/spec/vectors/secrets.steno";
  const char* paths[] = {name.c_str()};
  steno_reader* reader = steno_reader_open(paths, 1, &error_);
  ASSERT_NE(reader, nullptr) << error_.text;
  steno_record record;
  ASSERT_EQ(steno_reader_next(reader, &record, sizeof record, &error_), 1);
  EXPECT_STREQ(record.message, "ada has   [redacted] [redacted] [redacted] [redacted] [redacted]");
  for (std::size_t i = 1; i < record.fields; ++i) {
    steno_field field;
    ASSERT_TRUE(steno_reader_field(reader, i, &field, sizeof field));
    EXPECT_EQ(field.type, 'S');
    EXPECT_EQ(field.as_uint64, 0u);
    EXPECT_EQ(std::string_view(field.string, field.string_size), "[redacted]");
  }
  steno_reader_close(reader);
}

TEST_F(CReaderTest, Sites) {
  write();
  const std::string name = path();
  const char* paths[] = {name.c_str()};
  steno_reader* reader = steno_reader_open(paths, 1, &error_);
  ASSERT_NE(reader, nullptr) << error_.text;
  std::vector<steno_site_facts> sites;
  for (steno_site_facts facts; steno_reader_site(reader, sites.size(), &facts, sizeof facts);) sites.push_back(facts);
  const auto filled = std::find_if(sites.begin(), sites.end(), [](const steno_site_facts& site) {
    return std::string_view(site.format) == "filled {qty} @ {price:.1f} for {client}";
  });
  ASSERT_NE(filled, sites.end());
  EXPECT_STREQ(filled->types, "idS");
  EXPECT_EQ(filled->level, STENO_LEVEL_INFO);
  EXPECT_NE(std::string_view(filled->file).find("c_reader_test.cc"), std::string_view::npos);
  EXPECT_GT(filled->line, 0u);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(sites[i].stable_id, sites[k].stable_id);
  }
  // At most so much is read of one: its block.
  steno_stream_options wanted;
  STENO_STREAM_OPTIONS(&wanted);
  wanted.stable_id = filled->stable_id;
  steno_estimate estimate;
  ASSERT_EQ(steno_reader_estimate(reader, &wanted, &estimate, sizeof estimate, &error_), STENO_OK) << error_.text;
  EXPECT_EQ(estimate.blocks, 1u);
  EXPECT_GT(estimate.bytes, 0u);
  EXPECT_LE(estimate.bytes, std::filesystem::file_size(name));
  EXPECT_GT(estimate.rows, 0u);
  EXPECT_LT(estimate.rows, 4u) << "other statements do not count";
  wanted.until_ns = 0;
  ASSERT_EQ(steno_reader_estimate(reader, &wanted, &estimate, sizeof estimate, &error_), STENO_OK) << error_.text;
  EXPECT_EQ(estimate.blocks + estimate.bytes + estimate.rows, 0u);
  wanted.where = "nothing ==";
  EXPECT_EQ(steno_reader_estimate(reader, &wanted, &estimate, sizeof estimate, &error_), STENO_INVALID_ARGUMENT);
  // A stream of one by its id; columns that it lacks are left out on demand.
  const char* const columns[] = {"nothing", "qty"};
  steno_stream_options options;
  STENO_STREAM_OPTIONS(&options);
  options.stable_id = filled->stable_id;
  options.columns = columns;
  options.column_count = 2;
  ArrowArrayStream stream;
  EXPECT_EQ(steno_reader_stream(reader, &options, &stream, &error_), STENO_INVALID_ARGUMENT);
  options.skip_missing = true;
  ASSERT_EQ(steno_reader_stream(reader, &options, &stream, &error_), STENO_OK) << error_.text;
  ArrowSchema schema;
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  ASSERT_EQ(schema.n_children, 1);
  EXPECT_STREQ(schema.children[0]->name, "qty");
  schema.release(&schema);
  stream.release(&stream);
  steno_reader_close(reader);
}

TEST_F(CReaderTest, BatchesOfSeveralStatements) {
  write();
  const std::string name = path();
  const char* paths[] = {name.c_str()};
  steno_reader* reader = steno_reader_open(paths, 1, &error_);
  ASSERT_NE(reader, nullptr) << error_.text;
  std::vector<steno_batch_choice> choices;
  for (steno_site_facts facts; steno_reader_site(reader, choices.size(), &facts, sizeof facts);) {
    choices.push_back({facts.stable_id, nullptr});
  }
  const char* const columns[] = {"level", "qty"};
  steno_stream_options options;
  STENO_STREAM_OPTIONS(&options);
  options.columns = columns;
  options.column_count = 2;
  options.skip_missing = true;
  choices.push_back({1, "level >= WARN"});
  EXPECT_EQ(steno_reader_batches(reader, &options, choices.data(), 0, &error_), nullptr);
  EXPECT_EQ(error_.code, STENO_INVALID_ARGUMENT);
  steno_batches* batches = steno_reader_batches(reader, &options, choices.data(), choices.size(), &error_);
  ASSERT_NE(batches, nullptr) << error_.text;
  for (std::size_t i = 0; i + 1 < choices.size(); ++i) {
    const ArrowSchema* const schema = steno_batches_schema(batches, i);
    ASSERT_NE(schema, nullptr);
    EXPECT_EQ(steno_batches_schema(batches, i), schema);
    EXPECT_STREQ(schema->children[0]->name, "level");
  }
  EXPECT_EQ(steno_batches_schema(batches, choices.size() - 1), nullptr) << "no such statement";
  EXPECT_EQ(steno_batches_schema(batches, choices.size()), nullptr);
  steno_reader_close(reader);  // they go on
  int rows = 0;
  int quantities = 0;
  steno_batch batch;
  int step = 0;
  while ((step = steno_batches_next(batches, &batch, sizeof batch, &error_)) > 0) {
    if (step == STENO_BATCH_NOTHING) continue;
    ASSERT_EQ(step, 1);
    rows += static_cast<int>(batch.array->length);
    EXPECT_LT(batch.choice, choices.size() - 1);
    EXPECT_LT(batch.schema_number, choices.size());
    EXPECT_EQ(batch.session, 0u);
    ASSERT_EQ(batch.schema->n_children, batch.array->n_children);
    if (batch.schema->n_children < 2) continue;
    EXPECT_STREQ(batch.schema->children[1]->format, "i");
    quantities += *static_cast<const std::int32_t*>(batch.array->children[1]->buffers[1]);
  }
  EXPECT_EQ(step, 0);
  EXPECT_EQ(rows, 4);
  EXPECT_EQ(quantities, 5);
  steno_batches_close(batches);
  steno_batches_close(nullptr);
}

TEST_F(CReaderTest, Columns) {
  start();
  std::int64_t sum = 0;
  for (int i = 0; i < 5000; ++i) {
    STENO_INFO("sold {count} to {client}", i, i % 2 == 0 ? "alice" : "bob");
    if (i % 2 == 0) sum += i;
  }
  steno::stop();
  EXPECT_EQ(c_sum_column(path().c_str(), "sold", "count", "client == 'alice'", &error_), sum) << error_.text;
  EXPECT_EQ(c_sum_column(path().c_str(), "sold", "none", nullptr, &error_), -1);
  EXPECT_EQ(error_.code, STENO_INVALID_ARGUMENT);
  EXPECT_NE(std::string_view(error_.text).find("none"), std::string_view::npos) << error_.text;
  EXPECT_EQ(c_sum_column(path().c_str(), "sold", "count", "count >", &error_), -1);
  EXPECT_EQ(error_.code, STENO_INVALID_ARGUMENT);
}

TEST_F(CReaderTest, ErrorsAreCodesAndSentences) {
  const std::string none = path("none");
  const char* paths[] = {none.c_str()};
  EXPECT_EQ(steno_reader_open(paths, 1, &error_), nullptr);
  EXPECT_EQ(error_.code, STENO_NOT_FOUND);
  EXPECT_NE(std::strstr(error_.text, "none"), nullptr) << error_.text;
  EXPECT_EQ(steno_reader_open(paths, 0, &error_), nullptr);
  EXPECT_EQ(error_.code, STENO_INVALID_ARGUMENT);
  EXPECT_EQ(steno_reader_open(paths, 1, nullptr), nullptr);
}

TEST_F(CReaderTest, LimitsAreThoseThatAreAsked) {
  write();
  const std::string name = path();
  const char* paths[] = {name.c_str()};
  steno_reader_options options;
  STENO_READER_OPTIONS(&options);
  EXPECT_EQ(options.decoded_bytes, steno::ReadLimits().decoded_bytes);
  EXPECT_FALSE(options.map_files);
  for (const bool limited : {false, true}) {
    options.map_files = !limited;
    if (limited) options.statements = 1;
    steno_reader* reader = steno_reader_open_with(paths, 1, &options, &error_);
    ASSERT_NE(reader, nullptr) << error_.text;
    steno_loss loss;
    EXPECT_EQ(steno_reader_loss(reader, 0, &loss, sizeof loss), limited);
    if (limited) {
      EXPECT_NE(std::strstr(loss.text, "ReadLimits::statements"), nullptr) << loss.text;
    }
    steno_reader_close(reader);
  }
  options.size = 0;
  EXPECT_EQ(steno_reader_open_with(paths, 1, &options, &error_), nullptr);
  EXPECT_EQ(error_.code, STENO_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace steno_test
