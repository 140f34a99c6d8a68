// How a type of yours becomes an argument of a log statement.
#pragma once

namespace steno {

// Specialise it with one function that says what is captured, and so how the value is described and printed:
//
//   template <> struct steno::Loggable<Money> {
//     static double capture(const Money& m) { return m.cents / 100.0; }        // {:.2f}, a numeric column
//   };
//   template <> struct steno::Loggable<Endpoint> {
//     static std::string capture(const Endpoint& e) { return e.to_string(); }  // {}, a string column
//   };
//
// capture() runs in the logging thread, before the record is opened (it may log). It returns any type that steno logs
// itself; a returned std::string lives until it was copied into the ring. Prefer numbers: they cost a store.
//
// Two more functions are optional. `static constexpr const char* meaning()` says what a captured number means
// (spec/types.md): "B", and 512 is printed as 512B where the format asks for nothing else; "ms", a duration, which
// --where compares with others; "@s", a time; "=0 open,1 closed", names of values. `static … text(const T&)` is what
// printf statements and contexts, which have no meanings, capture instead.
template <class T>
struct Loggable;  // no primary definition: a type without one is a compile error at the statement

}  // namespace steno
