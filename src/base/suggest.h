// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steno {

// Single-character edits (swaps of neighbours too) that make one of the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns "; choose from 'id', 'qty'", in order, or "" if there are none. It lists only the first ones of many.
std::string choose_from(std::vector<std::string> candidates);

// "; did you mean 'qty'?", or what choose_from() returns.
// `unlisted`: what may be meant as well, but is not listed.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                         const std::vector<std::string>& unlisted = {});

}  // namespace steno
