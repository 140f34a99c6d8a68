// A statement that is logged in different contexts is one table: what a context lacks is null.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "pull.h"
#include "reader/file_builder.h"
#include "reader/temp_file.h"

namespace steno::test {
namespace {

using ContextRow = std::map<std::string, ArrowCell>;

struct ContextField {
  const char* name;
  char type;
};
constexpr ContextField kContextFields[] = {{"request", 'l'}, {"user", 'S'},   {"ok", 'b'},
                                           {"small", 'h'},   {"letter", 'c'}, {"wide", 'o'}};

// The name, as the table has it, and the value; `args` gets it.
std::pair<std::string, ArrowCell> add_random(const ContextField& field, std::mt19937& random, Args* args) {
  const unsigned n = random() % 7;
  switch (field.type) {
    case 'l':
      args->add('l', -std::int64_t(n));
      return {field.name, std::to_string(-static_cast<int>(n))};
    case 'S':
      if (n == 0) {
        args->null_text();
        return {field.name, std::nullopt};
      }
      args->text(std::string(n, 'u'));
      return {field.name, std::string(n, 'u')};
    case 'b':
      args->add('b', std::uint8_t(n % 2));
      return {field.name, n % 2 != 0 ? "true" : "false"};
    case 'h':
      args->add('h', std::uint8_t(n));
      return {field.name, std::to_string(n)};
    case 'c':
      args->add('c', static_cast<char>('a' + n));
      return {field.name, std::string(1, static_cast<char>('a' + n))};
    default:
      args->add('o', static_cast<unsigned __int128>(n));
      return {field.name, "0" + std::to_string(n) + std::string(30, '0')};
  }
}

// Records of one statement in random contexts, in many blocks, and what each has.
std::string random_contexts(std::mt19937& random, std::vector<ContextRow>* rows) {
  FileBuilder builder;
  builder.session().thread(0, 1, "main").site(16, Level::kInfo, "asked for {item}", "i", 120);
  std::vector<std::vector<ContextField>> contexts = {{}};
  for (std::uint32_t id = 17; id < 24; ++id) {
    std::vector<ContextField> context(std::begin(kContextFields), std::end(kContextFields));
    std::shuffle(context.begin(), context.end(), random);
    context.resize(random() % (context.size() + 1));
    std::string types;
    std::vector<std::string> names;
    for (const ContextField& field : context) {
      types += field.type;
      names.emplace_back(field.name);
    }
    builder.site_in_context(id, 16, types, names);
    contexts.push_back(std::move(context));
  }
  for (int i = 0; i < 600; ++i) {
    const auto context = static_cast<std::uint32_t>(random() % contexts.size());
    Args args;
    args.i32(i);
    ContextRow row{{"item", std::to_string(i)}};
    for (const ContextField& field : contexts[context]) row.insert(add_random(field, random, &args));
    builder.log(0, 16 + context, FileBuilder::kStart + static_cast<std::uint64_t>(i), args);
    rows->push_back(std::move(row));
    if (random() % 40 == 0) builder.flush();
  }
  return builder.end().bytes();
}

void expect_rows(const ArrowTable& table, const std::vector<ContextRow>& rows) {
  ASSERT_EQ(table.rows.size(), rows.size());
  for (const std::vector<ArrowCell>& found : table.rows) {
    const ContextRow& expected = rows[std::stoul(*found[table.column("item")])];
    for (std::size_t c = 0; c < table.fields.size(); ++c) {
      const std::string& name = table.fields[c].name;
      if (name == "time" || name == "thread" || name == "logger") continue;
      const auto known = expected.find(name);
      ASSERT_EQ(found[c], known != expected.end() ? known->second : std::nullopt)
          << name << " of " << *expected.at("item");
    }
  }
}

TEST(ContextBatch, OneTableHasAllContexts) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    std::vector<ContextRow> rows;
    const TempFile file(random_contexts(random, &rows));
    auto log = LogReader::open({file.path()});
    ASSERT_TRUE(log.ok());
    BatchOptions options;
    options.shape = BatchOptions::Shape::kStatement;
    options.statement = "asked for";
    options.dictionary_strings = seed % 2 == 0;
    options.min_rows = seed % 3 == 0 ? 1 : 1 << 17;
    options.max_rows = seed % 5 == 0 ? 7 : 1 << 16;
    const ArrowTable all = pull(*log, options);
    expect_rows(all, rows);
    EXPECT_FALSE(all.fields[all.column("item")].nullable);
    std::vector<std::string> columns;
    for (const ArrowField& field : all.fields) columns.push_back(field.name);
    for (const ContextField& field : kContextFields) {
      const bool some = std::find(columns.begin(), columns.end(), field.name) != columns.end();
      if (!some) continue;
      EXPECT_TRUE(all.fields[all.column(field.name)].nullable) << field.name;
    }
    // Any of them, in any order, and of all rows.
    std::shuffle(columns.begin(), columns.end(), random);
    options.columns = {"item"};
    for (std::size_t i = 0; i < columns.size() / 2; ++i) {
      if (columns[i] != "item") options.columns.push_back(columns[i]);
    }
    std::rotate(options.columns.begin(),
                options.columns.begin() + static_cast<std::ptrdiff_t>(random() % options.columns.size()),
                options.columns.end());
    const ArrowTable some = pull(*log, options);
    for (std::size_t c = 0; c < options.columns.size(); ++c) EXPECT_EQ(some.fields[c].name, options.columns[c]);
    expect_rows(some, rows);
  }
}

// One statement in one place, whose context has a field of the same name as a number and as a text.
TEST(ContextBatch, AFieldOfTwoTypesIsNamed) {
  FileBuilder builder;
  builder.session().thread(0, 1, "main").site(16, Level::kInfo, "got {x}", "i", 120);
  builder.site_in_context(17, 16, "lS", {"user", "path"}).site_in_context(18, 16, "S", {"user"});
  builder.log(0, 17, 1000, Args().i32(1).add('l', std::int64_t{7}).text("p")).log(0, 18, 1001, Args().i32(2).text("u"));
  const TempFile file(builder.end().bytes());
  auto log = LogReader::open({file.path()});
  ASSERT_TRUE(log.ok());
  BatchOptions options;
  options.shape = BatchOptions::Shape::kStatement;
  options.statement = "got";
  ArrowArrayStream stream;
  EXPECT_EQ(log->stream(options, &stream).message(),
            "the statement has fields 'user' of different types at src/server.cc:120 and at src/server.cc:120; choose "
            "columns without it");
  options.columns = {"x", "path"};  // as it says
  EXPECT_EQ(pull(*log, options).rows, (std::vector<std::vector<ArrowCell>>{{"1", "p"}, {"2", std::nullopt}}));
}

}  // namespace
}  // namespace steno::test
