#include "steno/c_messages.h"

#include <steno/c.h>

static void no_arguments(const struct c_arguments* a) {
  (void)a;
  STENO_INFO("Starting backup replica garbage collector thread");
}
static void string(const struct c_arguments* a) {
  STENO_INFO("Opened session with coordinator at {}", a->address);
}
static void integer(const struct c_arguments* a) {
  STENO_INFO("Backup storage speeds (min): {} MB/s read", a->speed);
}
static void two_integers(const struct c_arguments* a) {
  STENO_INFO("buffer has consumed {} bytes of extra storage, current allocation: {} bytes", a->consumed, a->allocated);
}
static void number(const struct c_arguments* a) {
  STENO_INFO("Using tombstone ratio balancer with ratio = {:.1f}", a->ratio);
}
static void five(const struct c_arguments* a) {
  STENO_INFO("Initialized InfUdDriver buffers: {} receive buffers ({} MB), {} transmit buffers ({} MB), took {:.1f} ms",
             a->receive_buffers, a->receive_mb, a->transmit_buffers, a->transmit_mb, a->took_ms);
}
const c_message c_messages[6] = {no_arguments, string, integer, two_integers, number, five};

static void no_arguments_f(const struct c_arguments* a) {
  (void)a;
  STENO_INFOF("Starting backup replica garbage collector thread");
}
static void string_f(const struct c_arguments* a) {
  STENO_INFOF("Opened session with coordinator at %s", a->address);
}
static void integer_f(const struct c_arguments* a) {
  STENO_INFOF("Backup storage speeds (min): %d MB/s read", a->speed);
}
static void two_integers_f(const struct c_arguments* a) {
  STENO_INFOF("buffer has consumed %d bytes of extra storage, current allocation: %d bytes", a->consumed, a->allocated);
}
static void number_f(const struct c_arguments* a) {
  STENO_INFOF("Using tombstone ratio balancer with ratio = %.1f", a->ratio);
}
static void five_f(const struct c_arguments* a) {
  STENO_INFOF("Initialized InfUdDriver buffers: %d receive buffers (%d MB), %d transmit buffers (%d MB), took %.1f ms",
              a->receive_buffers, a->receive_mb, a->transmit_buffers, a->transmit_mb, a->took_ms);
}
const c_message c_printf_messages[6] = {no_arguments_f, string_f, integer_f, two_integers_f, number_f, five_f};

void c_bounded_string(const struct c_arguments* a) {
  STENO_INFOF("Opened session with coordinator at %.*s", 39, a->address);
}
