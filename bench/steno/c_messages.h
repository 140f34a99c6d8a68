/* The six messages of the NanoLog paper as statements in C. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct c_arguments {
  const char* address;
  int speed, consumed, allocated;
  double ratio;
  int receive_buffers, receive_mb, transmit_buffers, transmit_mb;
  double took_ms;
};

typedef void (*c_message)(const struct c_arguments* arguments);
extern const c_message c_messages[6];                       /* in braces */
extern const c_message c_printf_messages[6];                /* the same by printf's syntax */
void c_bounded_string(const struct c_arguments* arguments); /* %.*s, which goes the long way */

#ifdef __cplusplus
}
#endif
