// Offers of vacant staging in the user's doorbell (ring.md §1.6): which directories a process that begins may take
// over instead of making its own.
//
// An offer is only a hint where to look, as an arrival is. A process that takes one relies on the locks and the state
// that it finds there.
#pragma once

#include <cstdint>
#include <string>

#include "staging/doorbell.h"

namespace steno::staging {

// The key of the log at an absolute path, as stored in an offer.
std::uint32_t vacancy_key(const std::string& log_path);

// A slot for an offer, which nobody else has; nullptr: all are taken. Whoever dies before it is filled or given back
// leaves it to free_stuck_vacancies().
Vacancy* reserve_vacancy(Doorbell* bell);
void fill_vacancy(Vacancy* slot, std::uint32_t pid, std::uint64_t nonce, std::uint32_t key);
void give_back_vacancy(Vacancy* slot);

// Takes the next offer for a log from slot `*from` on, which is moved after it. False: there is no other.
bool claim_vacancy(Doorbell* bell, std::uint32_t key, std::uint32_t* from, Vacancy* found);

// For the scribe in charge of them.
bool is_offered(const Doorbell* bell, std::uint64_t nonce);
void withdraw_vacancy(Doorbell* bell, std::uint64_t nonce);
// Frees the slots that were reserved at the look before (bit n: slot n), which is what this returns of this look. To be
// called no more often than somebody needs to fill one that he has reserved.
std::uint64_t free_stuck_vacancies(Doorbell* bell, std::uint64_t before);

}  // namespace steno::staging
