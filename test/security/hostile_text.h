// Text that a terminal obeys, and that pretends to be another record.
#pragma once

namespace steno_test {

inline constexpr char kHostileText[] =
    "\x1b[2J\x1b]0;title\x07"  // clear the screen, name the window
    " \x9b"
    "31m \xc2\x9b"
    "31m \xc2\x85"                                         // C1: as a byte, and as UTF-8
    " \x7f\x08\x08"                                        // rub out
    "\r\n2027-01-15 08:00:00.000000000Z INFO forged line"  // another record
    " \xe2\x80\xae\xe2\x81\xa6 desrever"                   // from here on right to left
    " \xd8\x9c\xe2\x80\x8b\xf3\xa0\x80\x81\xef\xbb\xbf"    // not seen: a mark, a space of no width, a tag, a BOM
    " \xff\xc0\xaf\xed\xa0\x80";                           // not UTF-8

}  // namespace steno_test
