// Logs of spec/vectors: what make_vectors writes there, whole or damaged.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace steno::test {

// A block whose zone says less than its values are, another whose zone says more.
std::string zones();
// Paths that come again in each of three blocks, between which others come once. `parts`: where the strings blocks are.
std::string shared_strings(std::vector<std::size_t>* parts);
// Sentences, some empty and some null, in columns of symbols with codes of one byte and of two.
std::string symbol_strings();
// Tokens of 64 letters and of 17, some empty and some null, in columns of letters.
std::string letter_strings();
// Lines of some statements, a few others, and some null, in columns of templates.
std::string template_strings();
// Comments of users, in which words come again, a few other words, marks, empty ones and some null, in columns of
// words.
std::string word_strings();
// Dumps, with characters beside their digits or in the same string, some null and some cut off.
std::string shown_bytes();
std::string hex_strings();
// Messages with their causes, of one to six, some null and some empty, in columns of lists.
std::string list_strings();
// Hosts, times and users that come several times in a row, as arguments and in lines, some null.
std::string string_runs();
// Where reads begin and how long they are, totals and what is added, of several types: columns that follow from others.
std::string related_integers();
// Skewed numbers, answers and steps of two statements that follow each other, in columns of entropy codes: with
// contexts and without, of values and of differences, with open bits.
std::string entropy_codes();
// Thirty statements of three combinations of types, with a few records each, beside one that is logged often.
std::string stacks();
// Every type of types.md, with its extremes.
std::string all_types(bool rows);
// Each char, in few records and in many; greater than 127 is not negative.
std::string characters();
// Records that a later version may leave: of protocol sites that this one does not know, a message of one that has its
// dictionary entry, and a block of an unknown type.
std::string protocol_records();
// Records with and without fields of context, in columns and in rows.
std::string context();
// Secrets of every kind of column, beside what is none; in columns, in a stack, in rows.
std::string secrets();
// Numbers with meanings, in columns; some that are none, and some that print no meaning.
std::string meanings();
// Optionals and variants, in columns, with a context after their flags, in rows; flags that are none.
std::string absent_values();
// Short sessions, of which all but two are packed; those two alone, with a model or without.
std::string packed_sessions(bool with_model);

}  // namespace steno::test
