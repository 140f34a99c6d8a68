// Tests which codecs that may bring nothing are tried, and when.
#include "format/codec_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "format/ints/column.h"
#include "format/strings/codec.h"
#include "format/without.h"
#include "string_cases.h"

namespace steno::format {
namespace {

using namespace testing;

// A buffer with what comes before the column, and the column by another codec, of so many bytes.
struct Compared {
  explicit Compared(std::size_t size, std::uint8_t codec = 0) {
    out.put_string("before");
    start = out.size();
    out.put(codec);
    for (std::size_t i = 1; i < size; ++i) out.put(std::uint8_t{'o'});
  }
  // Returns a codec. If `takes` is false, it does not take the column, and leaves bytes there.
  auto append(std::size_t size, bool takes = true) {
    return [this, size, takes] {
      for (std::size_t i = 0; i < size; ++i) out.put(std::uint8_t{'n'});
      return takes;
    };
  }
  std::string column() const { return {reinterpret_cast<const char*>(out.data()) + start, out.size() - start}; }

  ByteBuffer out;
  std::size_t start;
};

// One column of so many values by a trial: what it said, then a comparison that the codec wins or not.
TrialUse look(CodecTrial* trial, std::size_t values, bool wins) {
  const TrialUse use = trial->next(values, true);
  if (use != TrialUse::kCompare) return use;
  Compared compared(100);
  trial->compare(compared.start, 8, compared.append(wins ? 10 : 100), compared.out);
  return use;
}

TEST(CodecTrial, TheSmallerColumnStaysAndNothingElseChanges) {
  for (std::size_t share : {1, 2, 8}) {
    for (std::size_t size = 1; size <= 200; ++size) {
      for (const bool takes : {true, false}) {
        CodecTrial trial;
        Compared compared(100);
        (void)trial.next(1000, true);
        trial.compare(compared.start, share, compared.append(size, takes), compared.out);
        const bool smaller = takes && size + size / share <= 100;
        EXPECT_EQ(compared.column(), smaller ? std::string(size, 'n') : std::string(1, '\0') + std::string(99, 'o'));
        EXPECT_EQ(trial.pays(), smaller) << size;
      }
    }
  }
}

TEST(CodecTrial, ACodecThatPaysIsUsedAndLookedAtRarely) {
  CodecTrial trial;
  EXPECT_EQ(look(&trial, 1000, true), TrialUse::kCompare);
  int looks = 0;
  for (int column = 0; column < 320; ++column) looks += look(&trial, 1000, true) == TrialUse::kCompare;
  EXPECT_GE(looks, 320 / 32);
  EXPECT_LE(looks, 320 / 32 + 12);
  EXPECT_EQ(trial.next(1000, false), TrialUse::kFirst);  // without time for two codecs too
}

TEST(CodecTrial, ACodecThatNeverPaysIsTriedEverMoreRarely) {
  CodecTrial trial;
  std::map<int, int> tries;  // by hundreds of columns
  for (int column = 0; column < 1000; ++column) {
    const TrialUse use = look(&trial, 1000, false);
    ASSERT_NE(use, TrialUse::kFirst);
    tries[column / 100] += use == TrialUse::kCompare;
  }
  EXPECT_GT(tries[0], tries[9]);
  EXPECT_GE(tries[9], 1);  // columns may change
  EXPECT_LE(tries[9], 2);
  EXPECT_EQ(trial.next(1000, false), TrialUse::kNo);
}

TEST(CodecTrial, TwiceTheValuesAreAReasonToTryAgain) {
  CodecTrial trial;
  for (int column = 0; column < 20; ++column) (void)look(&trial, 100, false);
  EXPECT_EQ(look(&trial, 150, false), TrialUse::kNo);
  EXPECT_EQ(look(&trial, 200, true), TrialUse::kCompare);
  EXPECT_TRUE(trial.pays());
}

// A block that comes early has few values: that the codec does not pay there says little.
TEST(CodecTrial, AColumnOfFewValuesDoesNotEndTheUse) {
  CodecTrial trial;
  for (int column = 0; column < 100; ++column) (void)look(&trial, 1000, true);
  while (trial.next(100, true) != TrialUse::kCompare) {
  }
  Compared compared(100);
  trial.compare(compared.start, 8, compared.append(100), compared.out);
  EXPECT_TRUE(trial.pays());
  while (trial.next(1000, true) != TrialUse::kCompare) {
  }
  Compared again(100);
  trial.compare(again.start, 8, again.append(100), again.out);
  EXPECT_FALSE(trial.pays());
}

TEST(CodecTrial, SharedColumnsAreLeftAloneUntilTheirDictionaryIsFull) {
  CodecTrial trial;
  int left = 0;
  for (; left < 100; ++left) {
    Compared compared(100, static_cast<std::uint8_t>(CodecId::kSharedStrings));
    (void)trial.next(1000, true);
    trial.compare_in_time(compared.start, 8, compared.append(10), compared.out);
    if (compared.column().size() == 10) break;
    EXPECT_EQ(compared.column().size(), 100u);
  }
  EXPECT_EQ(left, 4);
  CodecTrial other;
  Compared compared(100);
  (void)other.next(1000, true);
  other.compare_in_time(compared.start, 8, compared.append(10), compared.out);
  EXPECT_EQ(compared.column().size(), 10u);  // others are not
}

TEST(CodecTrial, WithoutTimeNothingIsTriedAndThatIsNoted) {
  const auto ints = std::make_unique<IntScratch>();
  StringMemory memory{*ints};
  StringContext context{memory};
  CodecTrial trial;
  EXPECT_EQ(use_in_time(trial, 1000, context), TrialUse::kCompare);
  (void)look(&trial, 1000, true);
  context.quick = true;
  EXPECT_EQ(use_in_time(trial, 1000, context), TrialUse::kNo);
  EXPECT_TRUE(memory.left_out);
  CodecTrial hopeless;
  (void)look(&hopeless, 1000, false);
  memory.left_out = false;
  EXPECT_EQ(use_in_time(hopeless, 1000, context), TrialUse::kNo);
  EXPECT_FALSE(memory.left_out);  // it would not have been used with time either
}

// All columns can be written without any one codec, and read by a reader that has all.
TEST(CodecTrial, AWriterCanDoWithoutAnyCodec) {
  EXPECT_FALSE(leave_out_codec("strings"));
  EXPECT_FALSE(leave_out_codec("nonsense"));
  const std::vector<std::string_view> names = codecs_to_spare();
  EXPECT_GE(names.size(), 15u);
  for (const std::string_view name : names) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(leave_out_codec(name));
    for (const Distribution& distribution : kDistributions) {
      const auto ints = std::make_unique<IntScratch>();
      StringMemory memory{*ints};
      StringContext context{memory};
      context.column = 7;
      const Strings strings = make(distribution, 100);
      const Source source(strings);
      for (int block = 0; block < 2; ++block) {
        ByteBuffer out;
        encode_strings(source.source, context, out);
        const StringCodec* const used = find_string_codec(out.data()[0]);
        ASSERT_NE(used, nullptr);
        EXPECT_NE(used->name, name);
        Strings read;
        ASSERT_TRUE(decode_in_all_ways({out.data(), out.data() + out.size()}, strings.size(), {}, &read));
        EXPECT_EQ(read, strings) << distribution.name;
      }
    }
  }
  EXPECT_TRUE(leave_out_codec({}));
}

}  // namespace
}  // namespace steno::format
