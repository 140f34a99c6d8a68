// Groups of records: their numbers, codes of their keys, and their ranks, against what is counted one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../random_cases.h"
#include "../reader/file_builder.h"
#include "../reader/temp_file.h"
#include "base/parallel.h"
#include "query/filter/filter.h"
#include "query/statistics/aggregate.h"
#include "query/statistics/group_batches.h"
#include "query/statistics/group_index.h"
#include "query/statistics/key_codes.h"
#include "query/statistics/key_list.h"
#include "query/statistics/quantile.h"

namespace steno::query {
namespace {

using test::Args;
using test::FileBuilder;
using test::TempFile;

TEST(GroupIndexProperty, NumbersKeysAsTheyCome) {
  std::mt19937_64 random(1);
  for (int round = 0; round < test::sampled(200); ++round) {
    GroupIndex index(random());
    std::map<Key, std::uint32_t> known;
    const std::uint64_t range = std::uint64_t{1} << random() % 12;
    for (std::uint64_t i = random() % 3000; i != 0; --i) {
      const Key key{random() % range, random() % 2 == 0 ? 0 : random() % range, 0, random() % 3};
      EXPECT_EQ(index.find(key), known.count(key) != 0 ? known[key] : GroupIndex::kNone);
      if (random() % 50 == 0 && known.count(key) != 0) {  // the last one takes its number
        const std::uint32_t number = known[key];
        known[index.keys().back()] = number;
        known.erase(key);
        index.remove(number);
        EXPECT_EQ(index.find(key), GroupIndex::kNone);
        continue;
      }
      EXPECT_EQ(index.find_or_add(key), known.try_emplace(key, known.size()).first->second);
    }
    ASSERT_EQ(index.size(), known.size());
    for (const auto& [key, number] : known) {
      EXPECT_EQ(index.find(key), number);
      EXPECT_EQ(index.keys()[number], key);
    }
  }
}

// Keys whose last part differs in its high bits only, as reals and some ids do, have places of their own: with few
// places this would take an hour.
TEST(GroupIndex, LastPartsCountAsMuchAsOthers) {
  for (std::size_t part = 0; part < kMaxKeys; ++part) {
    GroupIndex index(7);
    for (std::uint64_t i = 0; i < 300'000; ++i) {
      Key key{};
      key[part] = i % 2 == 0 ? i << 44 | 1 : std::bit_cast<std::uint64_t>(static_cast<double>(i));
      (void)index.find_or_add(key);
    }
    EXPECT_EQ(index.size(), 300'000u);
  }
}

TEST(KeyCodesProperty, EqualNumbersShareACode) {
  std::mt19937_64 random(2);
  KeyCodes codes;
  int refused = 0;
  for (int round = 0; round < test::sampled(500); ++round) {
    const std::uint64_t distinct = 1 + random() % 300;
    const std::uint64_t factor = random() % 2 == 0 ? 1 : random();
    const std::uint64_t base = random() % 3 == 0 ? random() : std::uint64_t{0} - distinct / 2;
    const std::size_t most = 1 + random() % 400;
    std::vector<std::uint64_t> numbers(1 + random() % 2000);
    for (std::uint64_t& number : numbers) number = base + random() % distinct * factor;
    const std::size_t different = std::set(numbers.begin(), numbers.end()).size();
    if (!codes.read(numbers, most)) {
      EXPECT_GT(factor == 1 ? distinct : different, most);
      ++refused;
      continue;
    }
    EXPECT_LE(codes.size(), most);
    EXPECT_GE(codes.size(), different);
    for (std::size_t row = 0; row < numbers.size(); ++row) {
      const std::uint32_t code = codes.code(numbers[row], row);
      ASSERT_LT(code, codes.size());
      ASSERT_EQ(codes.number(code), numbers[row]);
    }
  }
  EXPECT_GT(refused, 0);
}

// Numbers that all fall into one place of the table are given up.
TEST(KeyCodes, ChosenNumbersTakeNoLonger) {
  const auto inverse_of = [](std::uint64_t odd) {  // modulo 2^64
    std::uint64_t inverse = 1;
    for (int i = 0; i < 6; ++i) inverse *= 2 - odd * inverse;
    return inverse;
  };
  std::vector<std::uint64_t> numbers(1 << 16);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint64_t number = i * inverse_of(0xC2B2AE3D27D4EB4F);
    number = (number ^ number >> 29 ^ number >> 58) * inverse_of(0x9E3779B97F4A7C15);
    numbers[i] = number ^ number >> 32;
  }
  EXPECT_FALSE(KeyCodes().read(std::span(numbers).first(1000), 1 << 16));
  EXPECT_FALSE(KeyCodes().read(numbers, 1 << 16));
}

TEST(KeyListProperty, FindsRanks) {
  std::mt19937_64 random(3);
  for (int round = 0; round < test::sampled(60); ++round) {
    KeyList lists[2];
    std::vector<std::uint64_t> all;
    const int shape = round % 5;
    for (std::size_t i = random() % 20 + 1; i != 0; --i) {
      std::vector<std::uint64_t> some(random() % 3000);
      for (std::uint64_t& key : some) {
        key = shape == 0   ? random()
              : shape == 1 ? random() % 5
              : shape == 2 ? std::uint64_t{1} << random() % 64
              : shape == 3 ? UINT64_MAX - random() % 100'000
                           : 42;
      }
      lists[i % 2].add(some);
      all.insert(all.end(), some.begin(), some.end());
      all.push_back(i);
      lists[i % 2].add(i);
    }
    lists[0].take(lists[1]);
    EXPECT_TRUE(lists[1].empty());
    ASSERT_EQ(lists[0].size(), all.size());
    std::sort(all.begin(), all.end());
    for (const double share : {0.0, 0.01, 0.5, 0.9, 0.999, 1.0}) {
      const std::uint64_t rank = rank_of(share, all.size());
      EXPECT_EQ(lists[0].of_rank(rank), all[rank]) << shape << " " << share;
    }
  }
}

TEST(GroupBatches, HandOnEachValueOnce) {
  std::mt19937_64 random(4);
  GroupBatches batches;
  for (const std::size_t groups : {1, 3, 512, 513}) {
    batches.start(groups);
    std::map<std::uint32_t, std::vector<std::uint64_t>> given;
    std::map<std::uint32_t, std::vector<std::uint64_t>> taken;
    const auto take = [&](std::uint32_t group, std::span<const std::uint64_t> values) {
      EXPECT_LE(values.size(), groups == 513 ? 1 : format::kMiniBlock);
      taken[group].insert(taken[group].end(), values.begin(), values.end());
    };
    for (int i = 0; i < 5000; ++i) {
      const auto group = static_cast<std::uint32_t>(random() % groups);
      given[group].push_back(random());
      batches.add(group, given[group].back(), take);
    }
    batches.finish(take);
    EXPECT_EQ(taken, given);
  }
}

struct Record {
  std::int32_t near;   // few, near to each other
  std::int64_t far;    // few, far from each other
  std::int64_t other;  // different in nearly all records
  double real;
  std::string text;
};

using Keys = std::vector<std::string>;

// By one to four keys of all kinds, of logs with blocks of different sizes.
TEST(GroupsProperty, CountsSumsAndQuantilesByKeys) {
  set_default_threads(2);
  std::mt19937_64 random(5);
  for (int round = 0; round < test::random_cases(6); ++round) {
    std::vector<Record> records;
    FileBuilder b;
    b.session().thread(0, 1, "main").site(16, Level::kInfo, "{near} {far} {other} {real} {text}", "illdS");
    for (std::size_t i = 0; i < 6000; ++i) {
      Record r;
      r.near = static_cast<std::int32_t>(random() % 40) - 20;
      r.far = static_cast<std::int64_t>(random() % 30 * 0x123456789ABCDEF1);
      r.other = static_cast<std::int64_t>(random() >> 1);
      r.real = static_cast<double>(random() % 7) / 4;
      if (r.real == 1.5) r.real = random() % 2 == 0 ? -0.0 : 0.0;
      r.text = random() % 30 == 0 ? "t" + std::to_string(i) : "text " + std::to_string(random() % 20);
      b.log(0, 16, FileBuilder::kStart + i * 1000,
            Args().i32(r.near).add('l', r.far).add('l', r.other).f64(r.real).text(r.text));
      if (random() % (i < 2000 ? 50 : 2500) == 0) b.flush();
      records.push_back(r);
    }
    const TempFile file(b.end().bytes());
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    const auto statement = find_statement(logs, "{near}");
    ASSERT_TRUE(statement.ok());
    const auto key_of = [](const Record& r, const std::string& name) {
      if (name == "near") return std::to_string(r.near);
      if (name == "far") return std::to_string(r.far);
      if (name == "other") return std::to_string(r.other);
      if (name == "real") return std::to_string(r.real + 0.0);
      return name == "level" ? std::string("INFO") : r.text;
    };
    const auto text_of = [](const Cell& cell) {
      if (cell.kind == Cell::Kind::kReal) return std::to_string(cell.real);
      return cell.kind == Cell::Kind::kText ? cell.text : std::to_string(static_cast<std::int64_t>(cell.integer));
    };
    for (const Keys& keys :
         {Keys{"near"}, Keys{"far"}, Keys{"other"}, Keys{"real"}, Keys{"text"}, Keys{"near", "far"},
          Keys{"text", "near"}, Keys{"far", "real", "near"}, Keys{"level", "near"}, Keys{"near", "other"},
          Keys{"text", "far", "real", "level"}, Keys{"far", "level", "near", "text"}}) {
      std::map<Keys, std::vector<std::int64_t>> expected;
      for (const Record& r : records) {
        Keys key;
        for (const std::string& name : keys) key.push_back(key_of(r, name));
        expected[key].push_back(r.near);
      }
      // With little memory each pass has some groups; with less, those of many keys would take hundreds of passes.
      const int little = keys.size() == 1 && keys[0] != "other" ? 1 << 16 : 1 << 19;
      for (const auto& [counts, memory] : {std::pair{true, 1 << 30}, {false, 1 << 30}, {false, little}}) {
        Question question;
        question.memory = static_cast<std::size_t>(memory);
        question.subject.logs = &logs;
        question.subject.statement = &*statement;
        question.operations = *parse_operations({counts ? "count" : "count,sum,p50,p99,min,max"});
        if (!counts) question.argument = *find_argument(*statement, "near");
        question.keys = *parse_keys(keys, &*statement);
        const auto answer = aggregate(question);
        ASSERT_TRUE(answer.ok());
        ASSERT_EQ(answer->rows.size(), expected.size()) << keys[0];
        for (const AnswerRow& row : answer->rows) {
          Keys key;
          for (const Cell& cell : row.keys) key.push_back(text_of(cell));
          ASSERT_EQ(expected.count(key), 1u) << key[0];
          std::vector<std::int64_t> values = expected[key];
          std::sort(values.begin(), values.end());
          std::int64_t sum = 0;
          for (const std::int64_t value : values) sum += value;
          const auto expect = [&](std::size_t at, std::int64_t value) {
            EXPECT_TRUE(row.values[at].integer == value) << key[0] << " " << at;
          };
          expect(0, static_cast<std::int64_t>(values.size()));
          if (counts) continue;
          expect(1, sum);
          expect(2, values[rank_of(0.5, values.size())]);
          expect(3, values[rank_of(0.99, values.size())]);
          expect(4, values.front());
          expect(5, values.back());
        }
      }
    }
  }
  set_default_threads(0);
}

// One record of the next test.
struct Measured {
  std::int32_t key;
  std::uint64_t wide;  // also above 2^63
  double real;         // also NaN
  std::int64_t time;
};

// A naive program computes these facts of a group.
struct ExpectedGroup {
  std::uint64_t records = 0;
  std::uint64_t hits = 0;  // those whose wide number is below 2^62
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  std::vector<std::uint64_t> course = std::vector<std::uint64_t>(10);
  std::vector<double> numbers;  // of those that have the argument
  std::map<double, std::uint64_t> frequencies;
};

void expect_near(const Cell& cell, double value, const char* what) {
  ASSERT_NE(cell.kind, Cell::Kind::kNone) << what;
  EXPECT_NEAR(cell.as_double(), value, 1e-9 * (std::abs(value) + 1)) << what;
}

double deviation_of(const std::vector<double>& numbers) {
  long double mean = 0;
  for (const double number : numbers) mean += number;
  mean /= static_cast<long double>(numbers.size());
  long double squares = 0;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  return static_cast<double>(std::sqrt(squares / static_cast<long double>(numbers.size() - 1)));
}

std::map<std::int32_t, ExpectedGroup> expected_groups(const std::vector<Measured>& records, bool wide,
                                                      bool some_lack_it) {
  std::map<std::int32_t, ExpectedGroup> groups;
  for (const Measured& r : records) {
    if (r.key < -10) continue;  // the condition of the question
    ExpectedGroup& group = groups[r.key];
    ++group.records;
    group.hits += r.wide < std::uint64_t{1} << 62 ? 1 : 0;
    group.first = std::min(group.first, r.time);
    group.last = std::max(group.last, r.time);
    const std::int64_t step = (r.time - FileBuilder::kStart) / 100'000;
    if (step < 10) ++group.course[static_cast<std::size_t>(step)];
    const double number = wide ? static_cast<double>(r.wide) : r.real;
    if (std::isnan(number)) continue;
    if (!some_lack_it || r.key % 3 != 0) group.numbers.push_back(number);
    ++group.frequencies[number];
  }
  for (auto& [key, group] : groups) std::sort(group.numbers.begin(), group.numbers.end());
  return groups;
}

// Under a condition, some without the argument, some NaN: every operation, with and without room for all groups.
TEST(GroupsProperty, OperationsOfRecordsThatAreWanted) {
  set_default_threads(2);
  std::mt19937_64 random(6);
  for (int round = 0; round < test::random_cases(4); ++round) {
    std::vector<Measured> records;
    FileBuilder b;
    b.session().thread(0, 1, "main").site(16, Level::kInfo, "{key} {wide} {real}", "imd");
    for (std::size_t i = 0; i < 5000; ++i) {
      const Measured r{static_cast<std::int32_t>(random() % 40) - 20, random() % 3 == 0 ? random() : random() % 50,
                       random() % 5 == 0 ? std::nan("") : static_cast<double>(random() % 100) / 8,
                       static_cast<std::int64_t>(FileBuilder::kStart + i * 250)};
      b.log(0, 16, static_cast<std::uint64_t>(r.time), Args().i32(r.key).add('m', r.wide).f64(r.real));
      if (random() % 700 == 0) b.flush();
      records.push_back(r);
    }
    const TempFile file(b.end().bytes());
    reader::LogSet logs;
    ASSERT_TRUE(logs.add(file.path()).ok());
    const auto statement = find_statement(logs, "{key}");
    ASSERT_TRUE(statement.ok());
    const auto condition = [&](const char* where) {
      FilterOptions options;
      options.where = where;
      return std::make_shared<const Predicate>(*make_expression(options, logs), logs);
    };
    const auto wanted = condition("key >= -10");
    const auto has = condition(
        "not (key == -9 or key == -6 or key == -3 or key == 0 or key == 3 or key == 6 or "
        "key == 9 or key == 12 or key == 15 or key == 18)");
    const auto below = condition("wide < 4611686018427387904");
    for (const bool wide : {true, false}) {
      for (const bool some_lack_it : {true, false}) {
        const std::map<std::int32_t, ExpectedGroup> expected = expected_groups(records, wide, some_lack_it);
        for (const int bits : {30, 16}) {
          Question question;
          question.memory = std::size_t{1} << bits;
          question.subject = {&logs, &*statement, wanted.get()};
          question.operations = *parse_operations({"count,min,max,sum,mean,stddev,p25,p99,first,last"});
          question.operations.push_back({.kind = Operation::Kind::kRatio, .title = "ratio", .predicate = below});
          if (some_lack_it) {
            question.has_argument = has.get();
          } else {
            const auto more = *parse_operations({"distinct,top:3"});
            question.operations.insert(question.operations.end(), more.begin(), more.end());
          }
          question.argument = *find_argument(*statement, wide ? "wide" : "real");
          question.keys = *parse_keys({"key"}, &*statement);
          question.course = {.from = FileBuilder::kStart, .step = 100'000, .steps = 10};
          const auto answer = aggregate(question);
          ASSERT_TRUE(answer.ok());
          ASSERT_EQ(answer->rows.size(), expected.size());
          for (const AnswerRow& row : answer->rows) {
            const ExpectedGroup& group = expected.at(static_cast<std::int32_t>(row.keys[0].integer));
            expect_near(row.values[0], static_cast<double>(group.records), "count");
            if (group.numbers.empty()) {
              for (const std::size_t none : {1, 2, 3, 4, 5, 6, 7}) {
                EXPECT_EQ(row.values[none].kind, Cell::Kind::kNone) << none;
              }
            } else {
              const auto at = [&](double q) { return group.numbers[rank_of(q, group.numbers.size())]; };
              double sum = 0;
              for (const double number : group.numbers) sum += number;
              expect_near(row.values[1], group.numbers.front(), "min");
              expect_near(row.values[2], group.numbers.back(), "max");
              expect_near(row.values[3], sum, "sum");
              expect_near(row.values[4], sum / static_cast<double>(group.numbers.size()), "mean");
              expect_near(row.values[5], deviation_of(group.numbers), "stddev");
              expect_near(row.values[6], at(0.25), "p25");
              expect_near(row.values[7], at(0.99), "p99");
            }
            EXPECT_TRUE(row.values[8].integer == group.first);
            EXPECT_TRUE(row.values[9].integer == group.last);
            expect_near(row.values[10], static_cast<double>(group.hits) / static_cast<double>(group.records), "ratio");
            EXPECT_EQ(row.course, group.course);
            if (some_lack_it) continue;
            expect_near(row.values[11], static_cast<double>(group.frequencies.size()), "distinct");
            std::vector<std::uint64_t> counts;
            for (const auto& [number, n] : group.frequencies) counts.push_back(n);
            std::sort(counts.rbegin(), counts.rend());
            ASSERT_EQ(row.top.size(), std::min<std::size_t>(3, counts.size()));
            for (std::size_t i = 0; i < row.top.size(); ++i) {
              EXPECT_EQ(row.top[i].count, counts[i]);
              EXPECT_EQ(group.frequencies.at(row.top[i].value.as_double()), counts[i]);
            }
          }
        }
      }
    }
  }
  set_default_threads(0);
}

}  // namespace
}  // namespace steno::query
