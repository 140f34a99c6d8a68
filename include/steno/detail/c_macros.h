// Macros over the arguments of a statement in C: how many there are, and the same for each.
#pragma once

// How many arguments follow the format in (format, …), 0 to 32; a name that says so if there are more.
#define STENO_DETAIL_ARGUMENT_COUNT(...) STENO_DETAIL_PICK_COUNT(__VA_ARGS__, STENO_DETAIL_COUNTS)
#define STENO_DETAIL_COUNTS                                                                                         \
  steno_more_than_32_arguments, steno_more_than_32_arguments, steno_more_than_32_arguments,                         \
      steno_more_than_32_arguments, steno_more_than_32_arguments, steno_more_than_32_arguments,                     \
      steno_more_than_32_arguments, steno_more_than_32_arguments, steno_more_than_32_arguments,                     \
      steno_more_than_32_arguments, steno_more_than_32_arguments, steno_more_than_32_arguments,                     \
      steno_more_than_32_arguments, steno_more_than_32_arguments, steno_more_than_32_arguments,                     \
      steno_more_than_32_arguments, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, \
      12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0
#define STENO_DETAIL_PICK_COUNT(...) STENO_DETAIL_PICK_COUNT_OF(__VA_ARGS__)
#define STENO_DETAIL_PICK_COUNT_OF(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17,   \
                                   _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33,   \
                                   _34, _35, _36, _37, _38, _39, _40, _41, _42, _43, _44, _45, _46, _47, _48, count, \
                                   ...)                                                                              \
  count

#define STENO_DETAIL_CAT(a, b) STENO_DETAIL_CAT_OF(a, b)
#define STENO_DETAIL_CAT_OF(a, b) a##b
#define STENO_DETAIL_FORMAT(...) STENO_DETAIL_FORMAT_OF(__VA_ARGS__, 0)
#define STENO_DETAIL_FORMAT_OF(format, ...) format

// macro(n, argument) for each argument of (format, …), in order; n counts down to 1.
#define STENO_DETAIL_EACH(macro, ...) \
  STENO_DETAIL_CAT(STENO_DETAIL_EACH_, STENO_DETAIL_ARGUMENT_COUNT(__VA_ARGS__))(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_0(macro, format)
#define STENO_DETAIL_EACH_1(macro, format, ...) STENO_DETAIL_LAST_1(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_2(macro, format, ...) STENO_DETAIL_LAST_2(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_3(macro, format, ...) STENO_DETAIL_LAST_3(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_4(macro, format, ...) STENO_DETAIL_LAST_4(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_5(macro, format, ...) STENO_DETAIL_LAST_5(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_6(macro, format, ...) STENO_DETAIL_LAST_6(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_7(macro, format, ...) STENO_DETAIL_LAST_7(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_8(macro, format, ...) STENO_DETAIL_LAST_8(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_9(macro, format, ...) STENO_DETAIL_LAST_9(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_10(macro, format, ...) STENO_DETAIL_LAST_10(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_11(macro, format, ...) STENO_DETAIL_LAST_11(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_12(macro, format, ...) STENO_DETAIL_LAST_12(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_13(macro, format, ...) STENO_DETAIL_LAST_13(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_14(macro, format, ...) STENO_DETAIL_LAST_14(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_15(macro, format, ...) STENO_DETAIL_LAST_15(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_16(macro, format, ...) STENO_DETAIL_LAST_16(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_17(macro, format, ...) STENO_DETAIL_LAST_17(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_18(macro, format, ...) STENO_DETAIL_LAST_18(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_19(macro, format, ...) STENO_DETAIL_LAST_19(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_20(macro, format, ...) STENO_DETAIL_LAST_20(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_21(macro, format, ...) STENO_DETAIL_LAST_21(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_22(macro, format, ...) STENO_DETAIL_LAST_22(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_23(macro, format, ...) STENO_DETAIL_LAST_23(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_24(macro, format, ...) STENO_DETAIL_LAST_24(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_25(macro, format, ...) STENO_DETAIL_LAST_25(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_26(macro, format, ...) STENO_DETAIL_LAST_26(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_27(macro, format, ...) STENO_DETAIL_LAST_27(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_28(macro, format, ...) STENO_DETAIL_LAST_28(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_29(macro, format, ...) STENO_DETAIL_LAST_29(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_30(macro, format, ...) STENO_DETAIL_LAST_30(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_31(macro, format, ...) STENO_DETAIL_LAST_31(macro, __VA_ARGS__)
#define STENO_DETAIL_EACH_32(macro, format, ...) STENO_DETAIL_LAST_32(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_1(macro, argument) macro(1, argument)
#define STENO_DETAIL_LAST_2(macro, argument, ...) macro(2, argument) STENO_DETAIL_LAST_1(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_3(macro, argument, ...) macro(3, argument) STENO_DETAIL_LAST_2(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_4(macro, argument, ...) macro(4, argument) STENO_DETAIL_LAST_3(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_5(macro, argument, ...) macro(5, argument) STENO_DETAIL_LAST_4(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_6(macro, argument, ...) macro(6, argument) STENO_DETAIL_LAST_5(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_7(macro, argument, ...) macro(7, argument) STENO_DETAIL_LAST_6(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_8(macro, argument, ...) macro(8, argument) STENO_DETAIL_LAST_7(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_9(macro, argument, ...) macro(9, argument) STENO_DETAIL_LAST_8(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_10(macro, argument, ...) macro(10, argument) STENO_DETAIL_LAST_9(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_11(macro, argument, ...) macro(11, argument) STENO_DETAIL_LAST_10(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_12(macro, argument, ...) macro(12, argument) STENO_DETAIL_LAST_11(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_13(macro, argument, ...) macro(13, argument) STENO_DETAIL_LAST_12(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_14(macro, argument, ...) macro(14, argument) STENO_DETAIL_LAST_13(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_15(macro, argument, ...) macro(15, argument) STENO_DETAIL_LAST_14(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_16(macro, argument, ...) macro(16, argument) STENO_DETAIL_LAST_15(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_17(macro, argument, ...) macro(17, argument) STENO_DETAIL_LAST_16(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_18(macro, argument, ...) macro(18, argument) STENO_DETAIL_LAST_17(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_19(macro, argument, ...) macro(19, argument) STENO_DETAIL_LAST_18(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_20(macro, argument, ...) macro(20, argument) STENO_DETAIL_LAST_19(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_21(macro, argument, ...) macro(21, argument) STENO_DETAIL_LAST_20(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_22(macro, argument, ...) macro(22, argument) STENO_DETAIL_LAST_21(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_23(macro, argument, ...) macro(23, argument) STENO_DETAIL_LAST_22(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_24(macro, argument, ...) macro(24, argument) STENO_DETAIL_LAST_23(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_25(macro, argument, ...) macro(25, argument) STENO_DETAIL_LAST_24(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_26(macro, argument, ...) macro(26, argument) STENO_DETAIL_LAST_25(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_27(macro, argument, ...) macro(27, argument) STENO_DETAIL_LAST_26(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_28(macro, argument, ...) macro(28, argument) STENO_DETAIL_LAST_27(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_29(macro, argument, ...) macro(29, argument) STENO_DETAIL_LAST_28(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_30(macro, argument, ...) macro(30, argument) STENO_DETAIL_LAST_29(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_31(macro, argument, ...) macro(31, argument) STENO_DETAIL_LAST_30(macro, __VA_ARGS__)
#define STENO_DETAIL_LAST_32(macro, argument, ...) macro(32, argument) STENO_DETAIL_LAST_31(macro, __VA_ARGS__)
