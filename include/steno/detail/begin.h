// Macros of other headers (X11, Windows, Qt, curses, assertions) that are names here, put aside until end.h. Included
// by our headers after what they include; end.h is their last line. Without an include guard.
#pragma push_macro("Always")
#pragma push_macro("DEBUG")
#pragma push_macro("ERROR")
#pragma push_macro("None")
#pragma push_macro("Status")
#pragma push_macro("clear")
#pragma push_macro("erase")
#pragma push_macro("max")
#pragma push_macro("min")
#pragma push_macro("move")
#pragma push_macro("small")
#undef Always
#undef DEBUG
#undef ERROR
#undef None
#undef Status
#undef clear
#undef erase
#undef max
#undef min
#undef move
#undef small
