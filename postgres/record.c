// How the records are written: as a statement in C does (c_statement.h), whose types are known sooner.
#include "record.h"

static const char this_library;

enum { kLargest = 2048 };  // of records that statements write themselves (c_statement.h)

void steno_register_site(RecordSite* made, const char* format, const char* types, bool described, const char* file,
                         const char* function, int line, steno_level level) {
  const struct steno_detail_site* const listed = &made->site;
  memset(made, 0, sizeof *made);
  made->site.state = &made->state;
  made->site.library = &this_library;
  made->site.format = format;
  made->site.file = file;
  made->site.function = function;
  made->site.line = (uint32)line;
  made->site.level = (uint8)level;
  made->site.types = types;
  made->site.described = described;
  steno_detail_register(&listed, &listed + 1);
}

int steno_size_of(char letter) {
  switch (letter) {
    case 'b':
      return 1;
    case 's':
    case 't':
      return 2;
    case 'l':
    case 'm':
    case 'd':
      return 8;
    default:  // S i j f
      return 4;
  }
}

static void write_long_way(const struct steno_detail_site* site, const char* numbers,
                           const struct steno_detail_bytes* texts) {
  struct steno_detail_value values[kRecordValues + 1];  // one more than there are: c_statement.h
  struct steno_detail_value* value = values;
  for (const char* letter = site->types; *letter != '\0'; ++letter, ++value) {
    if (*letter == 'S') {
      value->of.string = *texts++;
    } else {
      memcpy(value->of.number, numbers, (size_t)steno_size_of(*letter));
    }
    numbers += steno_size_of(*letter);
  }
  (void)steno_detail_log(site, NULL, values);
}

void steno_write_record(const RecordSite* site, const char* numbers, size_t number_bytes,
                        const struct steno_detail_bytes* texts, int text_count) {
  const struct steno_detail_target target = {NULL};
  const uint64 word = __atomic_load_n(&site->state.word, __ATOMIC_RELAXED);
  const uint8 level = site->site.level;
  struct steno_detail_record record;
  size_t bytes = 16 + number_bytes;
  char* to = NULL;
  if (!STENO_DETAIL_IS_ENABLED(word)) return;
  for (int i = 0; i < text_count; ++i) bytes += texts[i].size;
  bytes = (bytes + 7) & ~(size_t)7;
  if (bytes <= kLargest && STENO_DETAIL_IS_SHORT(word)) {
    to = steno_detail_open(&record, target, steno_detail_with_size(word, bytes), bytes, true);
  }
  if (to == NULL) {
    write_long_way(&site->site, numbers, texts);
    return;
  }
  memcpy(to, numbers, number_bytes);
  to += number_bytes;
  for (int i = 0; i < text_count; ++i) {
    if (texts[i].size > 0) to = steno_detail_copy(to, texts[i].data, texts[i].size);
  }
  steno_detail_close(&record, target, level);
}

void steno_write_soon(void) {
  const struct steno_detail_target target = {NULL};
  steno_detail_notify(steno_detail_slot(target));
}
