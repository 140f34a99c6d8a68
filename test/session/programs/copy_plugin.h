// The functions of a library with a copy of steno, for copies.cc.
#pragma once

extern "C" {
int copy_start(const char* path);  // 0: it failed
void copy_log(const char* copy, int number);
void copy_stop();
}
