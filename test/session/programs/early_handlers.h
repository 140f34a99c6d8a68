// A library that is initialised before the program, as a framework is: its fork handlers run within steno's.
#pragma once

// Calls hook("before"), hook("parent") and hook("child") around each fork; nullptr: nothing.
extern void (*early_handler_hook)(const char* where);
