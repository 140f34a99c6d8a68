// expect: conversion from .int. to .*Logger
// STENO_LOG_TO wants a steno::Logger.
#include <steno/log.h>

void statement(int x) {
  static_cast<void>(x);
#ifndef STENO_CONTROL
  STENO_LOG_TO(x, INFO, "{}", 1);
#endif
}
