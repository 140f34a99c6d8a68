// Values of the log as those of SQL.
#include "log_values.h"

#include "catalog/namespace.h"
#include "catalog/pg_type_d.h"
#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

// From UTF-8 to the encoding of this database; ? for what that does not have.
static text* database_text(const char* utf8, int size) {
  const int encoding = GetDatabaseEncoding();
  const Oid by =
      encoding == PG_UTF8 || encoding == PG_SQL_ASCII ? InvalidOid : FindDefaultConversionProc(PG_UTF8, encoding);
  char* copy;
  text* result;
  if (!OidIsValid(by)) return cstring_to_text_with_len(utf8, size);
  copy = palloc0((Size)size * MAX_CONVERSION_GROWTH + 1);
  for (int done = 0, kept = 0;;) {
    done += pg_do_encoding_conversion_buf(by, PG_UTF8, encoding, (unsigned char*)utf8 + done, size - done,
                                          (unsigned char*)copy + kept, (size - done) * MAX_CONVERSION_GROWTH + 1, true);
    kept += (int)strlen(copy + kept);
    if (done >= size) {
      result = cstring_to_text_with_len(copy, kept);
      break;
    }
    copy[kept++] = '?';
    done += Min(pg_utf_mblen((const unsigned char*)utf8 + done), size - done);
  }
  pfree(copy);
  return result;
}

static Datum text_at(const struct ArrowArray* array, int64 row) {
  const int32* const offsets = array->buffers[1];
  const char* const bytes = array->buffers[2];
  return PointerGetDatum(database_text(bytes + offsets[row], offsets[row + 1] - offsets[row]));
}

int steno_find_column(const struct ArrowSchema* schema, const char* name) {
  for (int64 child = 0; child < schema->n_children; ++child) {
    if (strcmp(schema->children[child]->name, name) == 0) return (int)child;
  }
  return kNoColumn;
}

bool steno_is_integer(const char* format) {
  return strchr("cCsSiIlL", format[0]) != NULL;
}

#define READ_INTEGERS(Type) \
  for (int i = 0; i < count; ++i) to[i] = (int64)((const Type*)values)[begin + i]

void steno_read_integers(char format, const void* values, int64 begin, int count, int64* to) {
  switch (format) {
    case 'c':
      READ_INTEGERS(int8);
      break;
    case 'C':
      READ_INTEGERS(uint8);
      break;
    case 's':
      READ_INTEGERS(int16);
      break;
    case 'S':
      READ_INTEGERS(uint16);
      break;
    case 'i':
      READ_INTEGERS(int32);
      break;
    case 'I':
      READ_INTEGERS(uint32);
      break;
    default:
      READ_INTEGERS(int64);
      break;
  }
}

static int64 integer_at(char format, const void* values, int64 row) {
  int64 integer;
  steno_read_integers(format, values, row, 1, &integer);
  return integer;
}

static double real_at(char format, const void* values, int64 row) {
  return format == 'f' ? ((const float4*)values)[row] : ((const float8*)values)[row];
}

// The time of microseconds since 1970.
static TimestampTz time_of(int64 us) {
  return us - (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
}

static char* real_text(char format, const void* values, int64 row) {
  char text[Max(FLOAT_SHORTEST_DECIMAL_LEN, DOUBLE_SHORTEST_DECIMAL_LEN)];
  if (format == 'f') {
    float_to_shortest_decimal_buf(((const float4*)values)[row], text);
  } else {
    double_to_shortest_decimal_buf(((const float8*)values)[row], text);
  }
  return pstrdup(text);
}

// A value that is no text, as one.
static const char* text_of(const char* format, const void* values, int64 row) {
  switch (format[0]) {
    case 'b':
      return (((const uint8*)values)[row / 8] >> row % 8 & 1) != 0 ? "true" : "false";
    case 'f':
    case 'g':
      return real_text(format[0], values, row);
    case 't':
      return timestamptz_to_str(time_of(((const int64*)values)[row] / (format[2] == 'n' ? 1000 : 1)));
    case 'L':
      return psprintf(UINT64_FORMAT, ((const uint64*)values)[row]);
    default:
      return psprintf(INT64_FORMAT, integer_at(format[0], values, row));
  }
}

Datum steno_datum(const struct ArrowSchema* schema, const struct ArrowArray* array, int64 row, Oid type,
                  bool* is_null) {
  const uint8* const validity = array->buffers[0];
  const char* const format = schema->format;
  const bool is_integer = steno_is_integer(format);
  const bool is_real = format[0] == 'f' || format[0] == 'g';
  const bool is_time = strncmp(format, "tsn:", 4) == 0 || strncmp(format, "tsu:", 4) == 0;
  row += array->offset;
  *is_null = validity != NULL && (validity[row / 8] >> row % 8 & 1) == 0;
  if (*is_null) return (Datum)0;
  if (schema->dictionary != NULL) {
    const int64 entry = integer_at(format[0], array->buffers[1], row);
    return steno_datum(schema->dictionary, array->dictionary, entry, type, is_null);
  }
  if (type == TEXTOID && (format[0] == 'u' || format[0] == 'z')) return text_at(array, row);
  if (type == TEXTOID && (is_integer || is_real || is_time || format[0] == 'b')) {
    return CStringGetTextDatum(text_of(format, array->buffers[1], row));
  }
  if (type == TIMESTAMPTZOID && is_time) {
    return TimestampTzGetDatum(time_of(((const int64*)array->buffers[1])[row] / (format[2] == 'n' ? 1000 : 1)));
  }
  if (type == INT8OID && is_integer) return Int64GetDatum(integer_at(format[0], array->buffers[1], row));
  if (type == FLOAT8OID && is_real) return Float8GetDatum(real_at(format[0], array->buffers[1], row));
  if (type == FLOAT8OID && is_integer) {
    return Float8GetDatum((float8)integer_at(format[0], array->buffers[1], row));
  }
  ereport(ERROR, (errmsg("column \"%s\" of the log has another type", schema->name)));
}

enum { kMostWidth = 4096 };  // of a field, in what may be a log of others

// By a field of a brace format, of those that message_format.c writes: {m3}, {m3:04}, {m3:<6}, {m3:.3f}, {m3:08X}.
static void append_field(StringInfo out, const char* field, const struct ArrowSchema* schema,
                         const struct ArrowArray* array, int64 row) {
  const void* const values = array->buffers[1];
  const char* const colon = strpbrk(field, ":}");
  const char* const at = *colon == ':' ? colon + 1 : colon;
  const bool is_left = *at == '<';
  const bool has_zeros = at[is_left] == '0';
  const int width = Min(atoi(at + is_left + has_zeros), kMostWidth);
  const char* const type = strpbrk(field, "xXf}");
  const uint8* const validity = array->buffers[0];
  const bool is_integer = schema->dictionary == NULL && steno_is_integer(schema->format);
  const bool is_real = schema->dictionary == NULL && (schema->format[0] == 'f' || schema->format[0] == 'g');
  row += array->offset;
  if (validity != NULL && (validity[row / 8] >> row % 8 & 1) == 0) return;
  if (!(*type == 'f' ? is_real : is_integer)) {  // texts, and what a log of others may have there
    bool is_null;
    const Datum datum = steno_datum(schema, array, row - array->offset, TEXTOID, &is_null);
    const text* const value = (const text*)DatumGetPointer(datum);
    if (!is_null) appendBinaryStringInfo(out, VARDATA_ANY(value), (int)VARSIZE_ANY_EXHDR(value));
  } else if (*type == 'f') {
    appendStringInfo(out, "%.*f", Min(atoi(at + 1), kMostWidth), real_at(schema->format[0], values, row));
  } else if (*type == 'x') {
    appendStringInfo(out, has_zeros ? "%0*llx" : "%*llx", width, (long long)integer_at(schema->format[0], values, row));
  } else if (*type == 'X') {
    appendStringInfo(out, has_zeros ? "%0*llX" : "%*llX", width, (long long)integer_at(schema->format[0], values, row));
  } else if (schema->format[0] == 'L') {
    appendStringInfo(out, has_zeros ? "%0*llu" : "%*llu", is_left ? -width : width,
                     (unsigned long long)((const uint64*)values)[row]);
  } else {
    appendStringInfo(out, has_zeros ? "%0*lld" : "%*lld", is_left ? -width : width,
                     (long long)integer_at(schema->format[0], values, row));
  }
}

Datum steno_message_datum(const struct ArrowSchema* schema, const struct ArrowArray* batch, int64 row,
                          const char* format) {
  // The format has texts of server_log.c around the message.
  const char* const severity = strchr(format, '}');
  const char* const end = strstr(format, " (SQLSTATE {sqlstate}, xid ");
  StringInfoData out;
  initStringInfo(&out);
  for (const char* at = severity != NULL && end != NULL ? severity + 3 : end; at < end; ++at) {
    appendStringInfoCharMacro(&out, *at);
    if (*at != '{' && *at != '}') continue;
    if (at[1] == *at) {
      ++at;
      continue;
    }
    --out.len;
    for (int64 child = 0; child < schema->n_children; ++child) {
      const char* const name = schema->children[child]->name;
      const size_t length = strlen(name);
      if (strncmp(at + 1, name, length) != 0 || (at[1 + length] != '}' && at[1 + length] != ':')) continue;
      append_field(&out, at, schema->children[child], batch->children[child], row + batch->offset);
    }
    at = strchr(at, '}');
  }
  return PointerGetDatum(cstring_to_text_with_len(out.data, out.len));
}
