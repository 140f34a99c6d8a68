// Where in a string of statements the source of one begins: where the one in front of it ends, so that comments in
// front of it, in which programs say who asks, belong to it.
#include "statement_source.h"

#include <string.h>

enum { kMostScanned = 65536 };

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         (c & 0x80) != 0;
}

static const char* skip_line(const char* at, const char* end) {
  while (at < end && *at != '\n' && *at != '\r') ++at;
  return at;
}

// Comments within one are closed by their own ends.
static const char* skip_comment(const char* at, const char* end) {
  int depth = 0;
  while (end - at >= 2) {
    const int step = at[0] == '/' && at[1] == '*' ? 1 : at[0] == '*' && at[1] == '/' ? -1 : 0;
    depth += step;
    at += step != 0 ? 2 : 1;
    if (depth == 0) return at;
  }
  return end;
}

static const char* skip_quoted(const char* at, const char* end, bool has_escapes) {
  const char quote = *at;
  for (++at; at < end; ++at) {
    const bool has_next = end - at >= 2;
    if (*at == quote && !(has_next && at[1] == quote)) return at + 1;
    if (*at == quote || (*at == '\\' && has_escapes && has_next)) ++at;
  }
  return end;
}

// `at` is a dollar sign.
static const char* skip_dollars(const char* at, const char* end) {
  const char* tag = at + 1;
  size_t size;
  while (tag < end && *tag != '$' && is_of_name(*tag)) ++tag;
  if (tag == end || *tag != '$' || (at[1] >= '0' && at[1] <= '9')) return at + 1;  // a parameter
  size = (size_t)(tag + 1 - at);
  for (const char* close = tag + 1; (size_t)(end - close) >= size; ++close) {
    if (memcmp(close, at, size) == 0) return close + size;
  }
  return end;
}

const char* steno_skip_blank(const char* at, const char* end) {
  for (;;) {
    if (at < end && is_space(*at)) {
      ++at;
    } else if (end - at >= 2 && at[0] == '-' && at[1] == '-') {
      at = skip_line(at, end);
    } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
      at = skip_comment(at, end);
    } else {
      return at;
    }
  }
}

// Over a word, a quoted text or another character, which begins at `at`; not a blank.
static const char* skip_token(const char* source, const char* at, const char* end) {
  if (*at == '\'' || *at == '"') {
    const bool is_e = at - source >= 1 && (at[-1] == 'e' || at[-1] == 'E');
    return skip_quoted(at, end, *at == '\'' && is_e && (at - source == 1 || !is_of_name(at[-2])));
  }
  if (*at == '$') return skip_dollars(at, end);
  if (!is_of_name(*at)) return at + 1;
  while (at < end && is_of_name(*at)) ++at;
  return at;
}

// Where the last semicolon before `end` is followed by nothing but blanks and comments; `end`: by something else.
static const char* scan(const char* source, const char* end) {
  const char* begin = source;
  bool is_blank = true;
  for (const char* at = steno_skip_blank(source, end); at < end; at = steno_skip_blank(at, end)) {
    if (*at == ';') {
      begin = ++at;
      is_blank = true;
    } else {
      is_blank = false;
      at = skip_token(source, at, end);
    }
  }
  return is_blank ? begin : end;
}

int steno_source_end(const char* source, int begin) {
  const char* const end = source + begin + strlen(source + begin);
  const char* at = steno_skip_blank(source + begin, end);
  while (at < end && *at != ';') at = steno_skip_blank(skip_token(source + begin, at, end), end);
  return (int)(at - source);
}

bool steno_is_blank(const char* source, int length) {
  const char* const end = source + length;
  const char* at = steno_skip_blank(source, end);
  while (at < end && *at == ';') at = steno_skip_blank(at + 1, end);
  return at == end;
}

int steno_source_begin(const char* source, int location) {
  const char* const first_word = source + location;
  const char* before = first_word;
  while (before > source && is_space(before[-1])) --before;
  if (before == source) return 0;
  if (before[-1] == ';') {
    const char* line = before - 1;
    while (line > source && line[-1] != '\n' && line[-1] != '\r' && !(line[-1] == '-' && line[0] == '-')) --line;
    if (line == source || line[-1] != '-') return (int)(before - source);  // not in a comment
  }
  return location <= kMostScanned ? (int)(scan(source, first_word) - source) : location;
}

bool steno_is_last_source(const char* source, int location, int length) {
  const char* at = source + location + length;
  const char* end;
  if (length <= 0) return true;
  while (is_space(*at) || *at == ';') ++at;
  if (*at != '-' && *at != '/') return *at == '\0';
  end = at + strnlen(at, kMostScanned);
  return *end == '\0' && *steno_skip_blank(at, end) == '\0';
}
