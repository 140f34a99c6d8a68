// Tables and bars for people: nothing is wider than the terminal, columns stand below each other whatever characters
// are in them, and every value that is not 0 has a bar on its side of 0.
#include "output/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "output/plot.h"
#include "output/svg.h"

namespace steno::cli {
namespace {

using query::Cell;

constexpr const char* kPieces[] = {"a",       "B7", " ", "é",  "公",     "司", "🙂",
                                   "e\u0301", "ｗ", "…", "한", "\u200B", "-",  "\xFF"};

std::string random_text(std::mt19937& random, std::size_t most) {
  std::string text;
  for (std::size_t n = random() % (most + 1); n > 0; --n) text += kPieces[random() % std::size(kPieces)];
  return text;
}

std::vector<std::string> lines_of(const ByteBuffer& out) {
  std::vector<std::string> lines(1);
  for (const char c : std::string(reinterpret_cast<const char*>(out.data()), out.size())) {
    c == '\n' ? lines.emplace_back() : lines.back() += c;
  }
  lines.pop_back();
  return lines;
}

TEST(TextWidth, IsThatOfATerminal) {
  for (const auto& [text, width] : std::vector<std::pair<std::string, std::size_t>>{{"", 0},
                                                                                    {"abc", 3},
                                                                                    {"é", 1},
                                                                                    {"e\u0301", 1},
                                                                                    {"公司", 4},
                                                                                    {"한글", 4},
                                                                                    {"ｗｉｄｅ", 8},
                                                                                    {"🙂", 2},
                                                                                    {"a\u200Bb", 2},
                                                                                    {"─│█", 3},
                                                                                    {"\xFFx", 2}}) {
    EXPECT_EQ(text_width(text), width) << text;
    EXPECT_EQ(text_width(padded(text, 12, false)), 12u) << text;
    EXPECT_EQ(text_width(padded(text, 12, true)), 12u) << text;
  }
}

TEST(TextWidth, WhatIsCutFits) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_text(random, 20);
    const std::size_t width = 1 + random() % 24;
    const std::string cut = cut_to(text, width);
    EXPECT_LE(text_width(cut), width) << text;
    if (text_width(text) <= width) {
      EXPECT_EQ(cut, text);
      continue;
    }
    ASSERT_TRUE(cut.ends_with("…")) << cut;
    EXPECT_TRUE(text.starts_with(cut.substr(0, cut.size() - 3)));
    EXPECT_GE(text_width(cut) + 1, width) << text;  // at most half of a wide character is lost
  }
}

Cell random_cell(std::mt19937& random, std::size_t kind) {
  if (random() % 8 == 0) return Cell();
  switch (kind) {
    case 0:
      return Cell::of(static_cast<text::Int128>(random()) * random() * random());
    case 1:
      return Cell::of_real(std::ldexp(static_cast<double>(random()) - 2e9, static_cast<int>(random() % 80) - 40));
    default:
      return Cell::of_text(random_text(random, kind == 2 ? 60 : 6));
  }
}

TEST(Tables, AreNeverWiderThanTheTerminal) {
  std::mt19937 random(2);
  for (int i = 0; i < 400; ++i) {
    Table table;
    std::vector<std::size_t> kinds;
    for (std::size_t c = 1 + random() % 10; c > 0; --c) {
      kinds.push_back(random() % 4);
      table.columns.push_back(random_text(random, 12));
    }
    for (std::size_t r = random() % 5; r > 0; --r) {
      auto& row = table.rows.emplace_back();
      for (const std::size_t kind : kinds) row.push_back(random_cell(random, kind));
    }
    TableStyle style;
    style.escape = Escape::kTerminal;
    style.width = 80 + random() % 60;
    ByteBuffer out;
    append_table(table, style, out);
    for (const std::string& line : lines_of(out)) EXPECT_LE(text_width(line), style.width) << line;
  }
}

TEST(Tables, ColumnsStandBelowEachOther) {
  Table table;
  table.columns = {"name", "n"};
  for (const char* name : {"acme", "公司", "🙂 Ltd", "e\u0301te\u0301"}) {
    table.rows.push_back({Cell::of_text(name), Cell::of(7)});
  }
  ByteBuffer out;
  append_table(table, {}, out);
  const std::vector<std::string> lines = lines_of(out);
  ASSERT_EQ(lines.size(), 5u);
  for (const std::string& line : lines) EXPECT_EQ(text_width(line), text_width(lines[0])) << line;
}

TEST(Tables, NumbersThatAreTooWideForOneLineGetALineEach) {
  Table table;
  TableStyle style;
  style.width = 80;
  for (int c = 0; c < 8; ++c) table.columns.push_back("column " + std::to_string(c));
  for (int r = 0; r < 2; ++r) {
    table.rows.emplace_back(8, Cell::of(static_cast<text::Int128>(INT64_MAX) - r));
  }
  ByteBuffer out;
  append_table(table, style, out);
  const std::vector<std::string> lines = lines_of(out);
  ASSERT_EQ(lines.size(), 17u);
  EXPECT_EQ(lines[0], "column 0  9,223,372,036,854,775,807");
  EXPECT_EQ(lines[8], "");
  EXPECT_EQ(lines[16], "column 7  9,223,372,036,854,775,806");
}

Plot plot_of(const std::vector<double>& values) {
  Plot plot;
  for (const double value : values) plot.bars.push_back({"公 " + number_text(value), value, number_text(value)});
  return plot;
}

const std::vector<std::vector<double>> kValues = {
    {1, 2, 3},        {-1, -2, -3}, {-5, 5},         {-1, 0, 100},
    {-100, 0.001, 1}, {0},          {-1e308, 1e308}, {-0.25, std::nan(""), HUGE_VAL}};

// The columns that are blocks, before and after the line at 0; of a plot without such a line all are after it.
TEST(Bars, OfEitherSignAreOnTheirSideOfZero) {
  for (const std::vector<double>& values : kValues) {
    for (const std::size_t width : {60, 80, 200}) {
      ByteBuffer out;
      append_bars(plot_of(values), width, out);
      const std::vector<std::string> lines = lines_of(out);
      ASSERT_EQ(lines.size(), values.size());
      std::size_t axis = 0;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        EXPECT_LE(text_width(lines[i]), width) << lines[i];
        const std::size_t line = lines[i].find("│");
        std::size_t left = 0;
        std::size_t right = 0;
        for (std::size_t at = lines[i].find("\xE2\x96"); at != std::string::npos;
             at = lines[i].find("\xE2\x96", at + 1)) {
          (line != std::string::npos && at < line ? left : right) += 1;
        }
        EXPECT_EQ(left != 0, std::isfinite(values[i]) && values[i] < 0) << lines[i];
        EXPECT_EQ(right != 0, std::isfinite(values[i]) && values[i] > 0) << lines[i];
        if (line == std::string::npos) continue;
        const std::size_t place = text_width(lines[i].substr(0, line));
        EXPECT_TRUE(axis == 0 || place == axis) << lines[i];
        axis = place;
      }
      const bool negative = *std::min_element(values.begin(), values.end()) < 0;
      EXPECT_EQ(axis != 0, negative);
    }
  }
}

TEST(Bars, AreAsLongAsTheirValues) {
  ByteBuffer out;
  append_bars(plot_of({-10, 20, -5, 10}), 100, out);
  std::vector<double> blocks;
  for (const std::string& line : lines_of(out)) {
    double all = 0;
    for (std::size_t at = line.find("█"); at != std::string::npos; at = line.find("█", at + 1)) all += 1;
    blocks.push_back(all);
  }
  EXPECT_GT(blocks[1], 30);
  EXPECT_NEAR(blocks[0], blocks[3], 1);
  EXPECT_NEAR(blocks[0], 2 * blocks[2], 1);
  EXPECT_NEAR(blocks[1], 2 * blocks[3], 1);
}

TEST(Bars, OfPicturesBeginAtZero) {
  for (const std::vector<double>& values : kValues) {
    const std::string svg = svg_of_bars(plot_of(values));
    const std::regex bar(
        "<rect x=\"([-0-9.]+)\" y=\"[0-9.]+\" width=\"([-0-9.]+)\" height=\"16.0\" fill=\"#3b75af\"/>");
    std::vector<std::pair<double, double>> bars;  // from, to
    for (std::sregex_iterator at(svg.begin(), svg.end(), bar), end; at != end; ++at) {
      const double x = std::stod((*at)[1]);
      const double width = std::stod((*at)[2]);
      bars.emplace_back(x, x + width);
      EXPECT_GE(x, 0);
      EXPECT_GE(width, 0);
      EXPECT_LE(x + width, 960);
    }
    ASSERT_EQ(bars.size(), values.size()) << svg;
    double zero = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool drawn = std::isfinite(values[i]) && std::fabs(values[i]) > 0.01;
      if (!drawn) continue;
      const double begin = values[i] < 0 ? bars[i].second : bars[i].first;
      EXPECT_GT(bars[i].second - bars[i].first, 1) << values[i];
      EXPECT_NEAR(begin, zero < 0 ? begin : zero, 0.2);
      zero = begin;
    }
  }
}

}  // namespace
}  // namespace steno::cli
