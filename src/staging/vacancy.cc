#include "staging/vacancy.h"

#include "base/checksum.h"

namespace steno::staging {
namespace {

constexpr std::uint64_t kFree = 0;
constexpr std::uint64_t kReserved = 1;

bool exchange(Vacancy& slot, std::uint64_t from, std::uint64_t to) {
  return __atomic_compare_exchange_n(&slot.nonce, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

}  // namespace

std::uint32_t vacancy_key(const std::string& log_path) {
  return static_cast<std::uint32_t>(xxh3(log_path.data(), log_path.size()));
}

Vacancy* reserve_vacancy(Doorbell* bell) {
  for (Vacancy& slot : bell->vacancies) {
    if (__atomic_load_n(&slot.nonce, __ATOMIC_RELAXED) == kFree && exchange(slot, kFree, kReserved)) return &slot;
  }
  return nullptr;
}

void fill_vacancy(Vacancy* slot, std::uint32_t pid, std::uint64_t nonce, std::uint32_t key) {
  __atomic_store_n(&slot->pid, pid, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->key, key, __ATOMIC_RELAXED);
  (void)exchange(*slot, kReserved, nonce);  // pairs with the load in claim_vacancy; else it was taken for stuck
}

void give_back_vacancy(Vacancy* slot) {
  (void)exchange(*slot, kReserved, kFree);
}

// The same nonce may be offered again in the slot between the loads, so the result may mix two offers. It then leads
// nowhere, or to a directory whose locks and state show whether it is vacant. A directory whose offer is lost in this
// way is removed by the scribe in charge of it.
bool claim_vacancy(Doorbell* bell, std::uint32_t key, std::uint32_t* from, Vacancy* found) {
  while (*from < kVacancies) {
    Vacancy& slot = bell->vacancies[(*from)++];
    const std::uint64_t nonce = __atomic_load_n(&slot.nonce, __ATOMIC_ACQUIRE);
    if (nonce == kFree || nonce == kReserved) continue;
    *found = {nonce, __atomic_load_n(&slot.pid, __ATOMIC_RELAXED), __atomic_load_n(&slot.key, __ATOMIC_RELAXED)};
    if (found->key == key && exchange(slot, nonce, kFree)) return true;
  }
  return false;
}

bool is_offered(const Doorbell* bell, std::uint64_t nonce) {
  for (const Vacancy& slot : bell->vacancies) {
    if (__atomic_load_n(&slot.nonce, __ATOMIC_ACQUIRE) == nonce) return true;
  }
  return false;
}

void withdraw_vacancy(Doorbell* bell, std::uint64_t nonce) {
  for (Vacancy& slot : bell->vacancies) (void)exchange(slot, nonce, kFree);
}

std::uint64_t free_stuck_vacancies(Doorbell* bell, std::uint64_t before) {
  std::uint64_t reserved = 0;
  for (std::uint32_t i = 0; i < kVacancies; ++i) {
    Vacancy& slot = bell->vacancies[i];
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (__atomic_load_n(&slot.nonce, __ATOMIC_RELAXED) != kReserved) continue;
    if ((before & bit) == 0 || !exchange(slot, kReserved, kFree)) reserved |= bit;
  }
  return reserved;
}

}  // namespace steno::staging
