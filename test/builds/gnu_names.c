/* These are functions of the GNU C library that a libc++ built for it needs, and that musl does not have. */
#define _GNU_SOURCE
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* Functions of _FORTIFY_SOURCE take the size of the object that is written besides the usual arguments. */

void* __memmove_chk(void* to, const void* from, size_t size, size_t room) {
  (void)room;
  return memmove(to, from, size);
}

wchar_t* __wmemcpy_chk(wchar_t* to, const wchar_t* from, size_t size, size_t room) {
  (void)room;
  return wmemcpy(to, from, size);
}

wchar_t* __wmemmove_chk(wchar_t* to, const wchar_t* from, size_t size, size_t room) {
  (void)room;
  return wmemmove(to, from, size);
}

int __vsnprintf_chk(char* to, size_t size, int flag, size_t room, const char* format, va_list arguments) {
  (void)flag, (void)room;
  return vsnprintf(to, size, format, arguments);
}

int __vasprintf_chk(char** to, int flag, const char* format, va_list arguments) {
  (void)flag;
  return vasprintf(to, format, arguments);
}

int __vfprintf_chk(FILE* to, int flag, const char* format, va_list arguments) {
  (void)flag;
  return vfprintf(to, format, arguments);
}

int __fprintf_chk(FILE* to, int flag, const char* format, ...) {
  va_list arguments;
  (void)flag;
  va_start(arguments, format);
  const int printed = vfprintf(to, format, arguments);
  va_end(arguments);
  return printed;
}

/* musl's numbers are the same in every locale. */

long long strtoll_l(const char* text, char** end, int base, locale_t locale) {
  (void)locale;
  return strtoll(text, end, base);
}

unsigned long long strtoull_l(const char* text, char** end, int base, locale_t locale) {
  (void)locale;
  return strtoull(text, end, base);
}
