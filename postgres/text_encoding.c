// Texts as the log has them: in UTF-8. Errors are logged by this, so that it calls nothing of PostgreSQL's that throws
// or looks into catalogs: the C library converts.
#include "steno_pg.h"

#include <iconv.h>
#include <steno/c.h>

#include "mb/pg_wchar.h"

enum { kMostConverted = 40 };  // texts of a record

static char* converted[kMostConverted];
static int converted_count;

void steno_begin_texts(void) {
  while (converted_count > 0) free(converted[--converted_count]);
}

// Asked of every text: without a branch for each byte.
static bool is_ascii(const char* data, size_t size) {
  uint64 all = 0;
  uint64 bytes = 0;
  if (size < sizeof bytes) {
    for (size_t i = 0; i < size; ++i) all |= (uint8)data[i];
    return (all & 0x80) == 0;
  }
  for (size_t i = 0; i + sizeof bytes < size; i += sizeof bytes) {
    memcpy(&bytes, data + i, sizeof bytes);
    all |= bytes;
  }
  memcpy(&bytes, data + size - sizeof bytes, sizeof bytes);
  return ((all | bytes) & UINT64CONST(0x8080808080808080)) == 0;
}

// The bytes of the character at `data`, 0 if that is none.
static size_t utf8_length(const char* data, size_t size) {
  const unsigned char* const text = (const unsigned char*)data;
  const size_t length = (size_t)pg_utf_mblen(text);
  return length <= size && pg_utf8_islegal(text, (int)length) ? length : 0;
}

static bool is_utf8(const char* data, size_t size) {
  for (size_t i = 0, length; i < size; i += length) {
    length = utf8_length(data + i, size - i);
    if (length == 0) return false;
  }
  return true;
}

static char* put_escape(char* to, char byte) {
  static const char kDigits[] = "0123456789abcdef";
  const unsigned char value = (unsigned char)byte;
  *to++ = '\\';
  *to++ = 'x';
  *to++ = kDigits[value >> 4];
  *to++ = kDigits[value & 15];
  return to;
}

// `to` has four times as much room as there is. Returns where it ends.
static char* escape(const char* data, size_t size, char* to) {
  for (size_t i = 0; i < size;) {
    const size_t length = utf8_length(data + i, size - i);
    if (length == 0) {
      to = put_escape(to, data[i++]);
    } else {
      memcpy(to, data + i, length);
      to += length;
      i += length;
    }
  }
  return to;
}

// The C library's converter from the database's encoding, NULL: it has none.
static iconv_t converter(void) {
  static int encoding = -1;
  static iconv_t of_encoding = (iconv_t)-1;
  if (encoding != GetDatabaseEncoding()) {
    const char* name;
    encoding = GetDatabaseEncoding();
    if (of_encoding != (iconv_t)-1) (void)iconv_close(of_encoding);
    of_encoding = (iconv_t)-1;
    name = STENO_NAME_OF_ENCODING(encoding);
    if (name != NULL) of_encoding = iconv_open("UTF-8", name);
  }
  return of_encoding;
}

static char* convert(const char* data, size_t size, char* to) {
  const iconv_t by = converter();
  char* from = (char*)data;
  size_t left = size;
  size_t room = 4 * size;
  if (by == (iconv_t)-1) {
    for (size_t i = 0; i < size; ++i) {
      if ((data[i] & 0x80) != 0) {
        to = put_escape(to, data[i]);
      } else {
        *to++ = data[i];
      }
    }
    return to;
  }
  (void)iconv(by, NULL, NULL, NULL, NULL);
  while (left > 0 && iconv(by, &from, &left, &to, &room) == (size_t)-1) {
    if (left == 0 || room < 4) break;
    to = put_escape(to, *from++);  // no character
    room -= 4;
    --left;
  }
  return to;
}

static struct steno_text utf8_of(const char* data, size_t size) {
  const int encoding = GetDatabaseEncoding();
  const bool as_it_is = encoding == PG_UTF8 || encoding == PG_SQL_ASCII;
  const int saved = errno;
  char* copy;
  char* end;
  if (as_it_is && is_utf8(data, size)) return steno_text(data, size);
  copy = converted_count < kMostConverted ? malloc(4 * size + 1) : NULL;
  if (copy == NULL) return steno_text("(out of memory)", 15);
  converted[converted_count++] = copy;
  end = as_it_is ? escape(data, size, copy) : convert(data, size, copy);
  *end = '\0';
  errno = saved;
  return steno_text(copy, (size_t)(end - copy));
}

struct steno_text steno_utf8(const char* data, size_t size) {
  return is_ascii(data, size) ? steno_text(data, size) : utf8_of(data, size);
}
