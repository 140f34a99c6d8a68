// What copies.cc asks of each library with a copy of steno.
#pragma once

extern "C" {
int copy_start(const char* path);  // 0: it failed
void copy_log(const char* copy, int number);
void copy_stop();
}
