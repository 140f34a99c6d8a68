#include "message_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostDigits = 15 };  // of a decimal number that a double has exactly

static int least(int a, int b) {
  return a < b ? a : b;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_plain_char(char c) {
  return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

// Reads a conversion, after its %. Returns where it ends; NULL: it is none.
static const char* parse_conversion(const char* at, MessagePiece* piece) {
  bool is_simple = true;
  int precision = -1;
  int longs = 0;
  for (; *at != '\0' && strchr("-0+ #", *at) != NULL; ++at) {
    piece->is_left |= *at == '-';
    piece->has_zeros |= *at == '0';
    is_simple &= *at == '-' || *at == '0';
  }
  is_simple &= !(piece->is_left && piece->has_zeros);
  for (; is_digit(*at); ++at) piece->width = least(piece->width * 10 + (*at - '0'), 1000);
  is_simple &= piece->width < 30;
  if (*at == '*') is_simple = false, ++at;
  if (*at == '.') {
    precision = 0;
    for (++at; is_digit(*at); ++at) precision = least(precision * 10 + (*at - '0'), 1000);
    if (*at == '*') is_simple = false, ++at;
  }
  for (; *at != '\0' && strchr("lzjthq", *at) != NULL; ++at) {
    longs += *at == 'l' || *at == 'z';
    is_simple &= *at == 'l' || *at == 'z';
  }
  if (*at == '\0' || strchr("diuxXofFeEgGaAcspm", *at) == NULL) return NULL;
  piece->is_wide = longs > 0;
  piece->kind = kMessageText;
  if (is_simple && precision < 0) {
    if (*at == 'd' || *at == 'i') piece->kind = kMessageSigned;
    if (*at == 'u') piece->kind = kMessageUnsigned;
    if (*at == 'x' || *at == 'X') piece->kind = kMessageHex;
    piece->is_capital = *at == 'X';
  }
  if (is_simple && *at == 'f' && piece->width == 0 && precision < 10) {
    piece->kind = kMessageDecimal;
    piece->decimals = precision < 0 ? 6 : precision;
  }
  if (piece->kind == kMessageText) piece->width = 0;  // is what has been printed
  return at + 1;
}

static bool is_plain_number(const MessagePiece* piece) {
  return piece->kind == kMessageSigned && piece->width == 0;
}

// "%ld.%03d" is one number; a text before " ms" is what such a number has been printed to.
static bool join(MessagePiece* before, const MessagePiece* piece) {
  const bool is_point = piece->literal_size == 1 && piece->literal[0] == '.';
  if (piece->literal_size == 0 && before->kind == kMessageText && piece->kind == kMessageText) return true;
  if (!is_point || !is_plain_number(before) || piece->kind != kMessageSigned || !piece->has_zeros) return false;
  if (piece->width < 1 || piece->width > 9) return false;
  before->kind = kMessageDecimal;
  before->decimals = piece->width;
  return true;
}

static void take_milliseconds(MessagePiece* piece, const char* rest) {
  if (piece->kind != kMessageText || strncmp(rest, " ms", 3) != 0) return;
  if ((rest[3] >= 'a' && rest[3] <= 'z') || (rest[3] >= 'A' && rest[3] <= 'Z')) return;
  if (rest[-1] != 's' || rest[-2] != '%') return;
  piece->kind = kMessageDecimal;
  piece->decimals = 3;
}

// Messages that got more values: how they begin since then, and the new values: places, from 0, and numbers.
static const struct {
  const char* begin;
  int count;
  struct {
    int place;
    int number;
  } added[2];
} kAdded[] = {
    // PostgreSQL 17, and 19. Before 17 the last value is 17.
    {"checkpoint complete: wrote %d buffers (%.1f%%), wrote %d SLRU buffers", 1, {{2, 18}}},
    {"restartpoint complete: wrote %d buffers (%.1f%%), wrote %d SLRU buffers", 1, {{2, 18}}},
    {"checkpoint complete:%s: wrote %d buffers (%.1f%%), wrote %d SLRU buffers", 2, {{0, 19}, {3, 18}}},
    {"restartpoint complete:%s: wrote %d buffers (%.1f%%), wrote %d SLRU buffers", 2, {{0, 19}, {3, 18}}},
};

static void number_values(const char* format, MessageFormat* parsed) {
  int number = 0;
  for (int i = 0; i < parsed->values; ++i) parsed->pieces[i].number = 0;
  for (size_t i = 0; i < sizeof kAdded / sizeof *kAdded; ++i) {
    if (strncmp(format, kAdded[i].begin, strlen(kAdded[i].begin)) != 0) continue;
    for (int k = 0; k < kAdded[i].count; ++k) {
      parsed->pieces[kAdded[i].added[k].place].number = kAdded[i].added[k].number;
    }
  }
  for (int i = 0; i < parsed->values; ++i) {
    if (parsed->pieces[i].number == 0) parsed->pieces[i].number = ++number;
  }
}

bool steno_parse_message_format(const char* format, MessageFormat* parsed) {
  char* out = malloc(strlen(format) + 1);
  const char* begin = out;  // of the literal
  size_t constant = 0;
  memset(parsed, 0, sizeof *parsed);
  parsed->literals = out;
  if (out == NULL) return false;
  for (const char* at = format; *at != '\0';) {
    MessagePiece piece = {.literal = begin};
    if (*at != '%' || at[1] == '%') {
      if (!is_plain_char(*at)) goto refuse;
      *out++ = *at;
      at += *at == '%' ? 2 : 1;
      ++constant;
      continue;
    }
    at = parse_conversion(at + 1, &piece);
    if (at == NULL) goto refuse;
    piece.literal_size = (size_t)(out - begin);
    take_milliseconds(&piece, at);
    if (parsed->values > 0 && join(&parsed->pieces[parsed->values - 1], &piece)) {
      out -= piece.literal_size;
      continue;
    }
    if (parsed->values == kMessageValues) goto refuse;
    parsed->pieces[parsed->values++] = piece;
    begin = out;
  }
  if (constant == 0) goto refuse;
  number_values(format, parsed);
  parsed->end = begin;
  parsed->end_size = (size_t)(out - begin);
  return true;
refuse:
  free(parsed->literals);
  parsed->literals = NULL;
  return false;
}

static int count_digits(const char* at) {
  int digits = 0;
  while (is_digit(at[digits])) ++digits;
  return digits;
}

// Digits after the point of a number with `whole` digits before it; 0: it has none, or is a part of something else
// with points (an address, a version), or a double does not have it exactly.
static int count_decimals(const char* text, const char* at, int whole) {
  const int decimals = at[whole] == '.' ? count_digits(at + whole + 1) : 0;
  const char* const end = at + whole + 1 + decimals;
  if (decimals == 0 || decimals > 9 || whole + decimals > kMostDigits) return 0;
  if ((*at == '0' && whole > 1) || (*end == '.' && is_digit(end[1]))) return 0;
  return at - text > 1 && at[-1] == '.' && is_digit(at[-2]) ? 0 : decimals;
}

// Returns whether the - before a number is its sign: not that of a range or a date.
static bool is_sign(const char* text, const char* at) {
  if (at == text || at[-1] != '-') return false;
  return at - text == 1 || at[-2] == ' ' || at[-2] == '(' || at[-2] == '=' || at[-2] == ',' || at[-2] == '[';
}

bool steno_guess_message_format(const char* text, char* format, size_t room) {
  enum { kMostDigitsOfInteger = 18, kLongestPiece = kMostDigitsOfInteger + 10 };
  const char* const end = format + room;
  int values = 0;
  int constant = 0;
  for (const char* at = text; *at != '\0';) {
    const int digits = count_digits(at);
    const int decimals = digits > 0 ? count_decimals(text, at, digits) : 0;
    const bool has_zeros = digits > 1 && *at == '0';
    if (!is_plain_char(*at) || end - format < kLongestPiece) return false;
    if (digits == 0) {
      if (*at == '%') *format++ = '%';
      *format++ = *at++;
      ++constant;
    } else if (digits > kMostDigitsOfInteger) {
      if (end - format < digits + kLongestPiece) return false;
      memcpy(format, at, (size_t)digits);
      format += digits;
      at += digits;
      constant += digits;
    } else {
      const bool is_zero = digits == 1 && *at == '0' && decimals == 0;
      if (!has_zeros && !is_zero && is_sign(text, at)) {  // it is the number's
        --format;
        --constant;
      }
      if (++values > kMessageValues) return false;
      if (decimals > 0) {
        format += sprintf(format, "%%.%df", decimals);
        at += digits + 1 + decimals;
      } else {
        format += has_zeros ? sprintf(format, "%%0%dlu", digits) : sprintf(format, "%%ld");
        at += digits;
      }
    }
  }
  *format = '\0';
  return values > 0 && constant > 0;
}

char steno_message_letter(const MessagePiece* piece) {
  switch (piece->kind) {
    case kMessageText:
      return 'S';
    case kMessageDecimal:
      return 'd';
    case kMessageSigned:
      return piece->is_wide ? 'l' : 'i';
    default:
      return piece->is_wide ? 'm' : 'j';
  }
}

static char* print_literal(const char* text, size_t size, char* to) {
  for (size_t i = 0; i < size; ++i) {
    if (text[i] == '{' || text[i] == '}') *to++ = text[i];
    *to++ = text[i];
  }
  return to;
}

static char* print_field(const MessagePiece* piece, char* to) {
  to += sprintf(to, "{m%d", piece->number);
  if (piece->kind == kMessageDecimal) {
    to += sprintf(to, ":.%df", piece->decimals);
  } else if (piece->width > 0 || piece->kind == kMessageHex) {
    *to++ = ':';
    if (piece->is_left) *to++ = '<';
    if (piece->has_zeros) *to++ = '0';
    if (piece->width > 0) to += sprintf(to, "%d", piece->width);
    if (piece->kind == kMessageHex) *to++ = piece->is_capital ? 'X' : 'x';
  }
  *to++ = '}';
  return to;
}

size_t steno_print_message_format(const MessageFormat* format, char* to) {
  const char* const begin = to;
  for (int i = 0; i < format->values; ++i) {
    const MessagePiece* const piece = &format->pieces[i];
    to = print_literal(piece->literal, piece->literal_size, to);
    to = print_field(piece, to);
  }
  to = print_literal(format->end, format->end_size, to);
  return (size_t)(to - begin);
}

// Digits of `base`, none but a single one beginning with 0 unless `zeros`. Returns where they end; NULL: there are
// none, or too many.
static const char* read_digits(const char* at, const char* end, const MessagePiece* piece, uint64_t* value) {
  const unsigned base = piece->kind == kMessageHex ? 16 : 10;
  const char letter = piece->is_capital ? 'A' : 'a';
  const char* const begin = at;
  *value = 0;
  for (; at < end; ++at) {
    const bool is_letter = base == 16 && *at >= letter && *at <= letter + 5;
    const unsigned digit = is_letter ? (unsigned)(*at - letter) + 10 : (unsigned)(*at - '0');
    if (!is_letter && !is_digit(*at)) break;
    if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
        __builtin_add_overflow(*value, (uint64_t)digit, value)) {
      return NULL;
    }
  }
  if (at == begin || (*begin == '0' && at - begin > 1 && !piece->has_zeros)) return NULL;
  return at;
}

static bool is_in_range(const MessagePiece* piece, uint64_t value, bool is_negative) {
  if (piece->kind != kMessageSigned) return piece->is_wide || value <= UINT32_MAX;
  if (is_negative && value == 0) return false;
  return value <= (piece->is_wide ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX) + is_negative;
}

static const char* read_integer(const char* at, const char* end, const MessagePiece* piece, MessageValue* value) {
  const char* const begin = at;
  const char* digits;
  bool is_negative;
  uint64_t number;
  if (!piece->has_zeros && !piece->is_left) {
    while (at < end && at - begin < piece->width - 1 && *at == ' ') ++at;
  }
  is_negative = piece->kind == kMessageSigned && at < end && *at == '-';
  digits = at += is_negative;
  at = read_digits(at, end, piece, &number);
  if (at == NULL || !is_in_range(piece, number, is_negative)) return NULL;
  // Zeros fill up to the width, and not further.
  if (piece->has_zeros && *digits == '0' && at - digits > 1 && at - begin != piece->width) return NULL;
  if (piece->is_left) {
    while (at < end && at - begin < piece->width && *at == ' ') ++at;
  }
  if (at - begin < piece->width || (*begin == ' ' && at - begin != piece->width)) return NULL;
  value->number = (int64_t)(is_negative ? -number : number);
  return at;
}

static const char* read_decimal(const char* at, const char* end, const MessagePiece* piece, MessageValue* value) {
  static const double kPowers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  const bool is_negative = at < end && *at == '-';
  const char* const begin = at += is_negative;
  int64_t number = 0;
  int digits = 0;
  for (; at < end && is_digit(*at) && digits < kMostDigits; ++at, ++digits) number = number * 10 + (*at - '0');
  if (digits == 0 || (*begin == '0' && digits > 1)) return NULL;
  if (piece->decimals > 0) {
    if (at == end || *at != '.') return NULL;
    ++at;
    for (int i = 0; i < piece->decimals; ++i, ++at, ++digits) {
      if (at == end || !is_digit(*at) || digits == kMostDigits) return NULL;
      number = number * 10 + (*at - '0');
    }
  }
  if (at < end && is_digit(*at)) return NULL;
  value->real = (double)number / kPowers[piece->decimals];
  if (is_negative) value->real = -value->real;
  return at;
}

static bool has_prefix(const char* at, const char* end, const char* literal, size_t size) {
  return (size_t)(end - at) >= size && memcmp(at, literal, size) == 0;
}

// Where `literal` is first; NULL: nowhere.
static const char* find_literal(const char* at, const char* end, const char* literal, size_t size) {
  if (size == 0) return at;
  for (; (size_t)(end - at) >= size; ++at) {
    at = memchr(at, literal[0], (size_t)(end - at) - size + 1);
    if (at == NULL) return NULL;
    if (memcmp(at, literal, size) == 0) return at;
  }
  return NULL;
}

bool steno_match_message(const MessageFormat* format, const char* text, size_t size, MessageValue* values) {
  const char* const end = text + size;
  const char* at = text;
  const char* next = NULL;  // where the last text may end, beyond its first place
  int last_text = -1;
  for (int i = 0;;) {
    const bool is_end = i == format->values;
    const MessagePiece* const piece = is_end ? NULL : &format->pieces[i];
    const char* const literal = is_end ? format->end : piece->literal;
    const size_t literal_size = is_end ? format->end_size : piece->literal_size;
    const char* reached = NULL;
    if (last_text >= 0 && i == last_text + 1) {
      // After a text: the first place, or the last one where the message ends.
      const char* const from = next != NULL ? next : at;
      if (is_end && (size_t)(end - from) < literal_size) return false;
      at = is_end ? end - literal_size : find_literal(from, end, literal, literal_size);
      if (at == NULL) return false;
      values[last_text].text.size = (size_t)(at - values[last_text].text.data);
      next = at + 1;
    }
    if (has_prefix(at, end, literal, literal_size)) {
      at += literal_size;
      if (is_end) {
        if (at == end) return true;
      } else if (piece->kind == kMessageText) {
        values[i].text.data = at;
        last_text = i;
        next = NULL;
        reached = at;
      } else if (piece->kind == kMessageDecimal) {
        reached = read_decimal(at, end, piece, &values[i]);
      } else {
        reached = read_integer(at, end, piece, &values[i]);
      }
    }
    if (reached != NULL) {
      at = reached;
      ++i;
    } else {
      if (last_text < 0 || next > end) return false;
      i = last_text + 1;  // the text ends later
    }
  }
}
