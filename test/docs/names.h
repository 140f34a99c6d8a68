// Names that the examples of the pages use and do not declare.
#pragma once

#include <steno/session.h>

#include <chrono>
#include <iosfwd>
#include <string>

using namespace std::chrono_literals;

struct Connection {};

inline Connection connection;
inline void handle(Connection&) {}
inline void merge() {}
inline void print_tree(std::ostream&) {}
inline void refuse_payment() {}

inline steno::Options options;
inline const std::string address = "localhost", name = "queue", host = "db-a", option = "--old";
inline const char* client = "acme";
inline int id = 1, qty = 1, retries = 3, descriptor = 1;
inline double price = 1, ms = 1, amount = 1;
inline int account = 1;
inline std::size_t used = 1, size = 2;
