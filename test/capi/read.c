#define _POSIX_C_SOURCE 200809L
#include "read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_field(FILE* out, const steno_field* field) {
  fprintf(out, " %s=", field->name);
  switch (field->type) {
    case 'S':
      if (field->is_null) {
        fprintf(out, "null");
      } else {
        fprintf(out, "%.*s", (int)field->string_size, field->string);
      }
      break;
    case 'd':
    case 'f':
      fprintf(out, "%g", field->as_double);
      break;
    case 'j':
    case 'm':
      fprintf(out, "%llu", (unsigned long long)field->as_uint64);
      break;
    default:
      fprintf(out, "%lld", (long long)field->as_int64);
  }
}

char* c_read_log(const char* path, steno_error* error) {
  char* text = NULL;
  size_t size = 0;
  steno_record record;
  steno_field field;
  int more = 0;
  FILE* out = NULL;
  steno_reader* const reader = steno_reader_open(&path, 1, error);
  if (reader == NULL) return NULL;
  out = open_memstream(&text, &size);
  steno_reader_rewind(reader, STENO_LEVEL_INFO, true);
  while ((more = steno_reader_next(reader, &record, sizeof record, error)) == 1) {
    static const char* const levels[] = {"TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"};
    fprintf(out, "%s %s %s", levels[record.level], record.logger, record.message);
    for (size_t i = 0; steno_reader_field(reader, i, &field, sizeof field); ++i) print_field(out, &field);
    fputc(10, out);
  }
  fclose(out);
  steno_reader_close(reader);
  if (more == 0) return text;
  free(text);
  return NULL;
}

int64_t c_sum_column(const char* path, const char* statement, const char* column, const char* where,
                     steno_error* error) {
  int64_t sum = 0;
  steno_stream_options options;
  struct ArrowArrayStream stream;
  steno_reader* const reader = steno_reader_open(&path, 1, error);
  if (reader == NULL) return -1;
  STENO_STREAM_OPTIONS(&options);
  options.statement = statement;
  options.columns = &column;
  options.column_count = 1;
  options.where = where;
  if (steno_reader_stream(reader, &options, &stream, error) != STENO_OK) {
    steno_reader_close(reader);
    return -1;
  }
  steno_reader_close(reader);  // the stream outlives it
  for (;;) {
    struct ArrowArray batch;
    if (stream.get_next(&stream, &batch) != 0) {
      sum = -1;
      break;
    }
    if (batch.release == NULL) break;
    for (int64_t i = 0; i < batch.length; ++i) sum += ((const int32_t*)batch.children[0]->buffers[1])[i];
    batch.release(&batch);
  }
  stream.release(&stream);
  return sum;
}
