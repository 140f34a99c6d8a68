// Steps of time without a record: they are results as well, for what did not happen is often what is looked for.
#include <set>

#include "query/filter/filter.h"
#include "query/statistics/aggregation.h"

namespace steno::query {

void Aggregation::add_empty_steps(Answer* answer) {
  std::size_t at = 0;
  while (at < q_.keys.size() && q_.keys[at].by != KeySpec::By::kTime) ++at;
  if (at == q_.keys.size()) return;
  const TimeSpan span = recorded_span(*q_.subject.logs).cut_to(q_.subject.span);
  if (span.empty()) return;
  const TimeSteps& steps = q_.keys[at].steps;

  const std::uint64_t count = steps.count(span);
  if (count > kMostSteps || several_passes()) {
    answer->steps_left_out = count;
    return;
  }
  std::set<Key> others;  // the keys without the time
  for (Key key : index_.keys()) {
    key[at] = 0;
    others.insert(key);
  }
  if (q_.keys.size() == 1) others.insert(Key{});
  if (count * others.size() > kMostSteps) {
    answer->steps_left_out = count;
    return;
  }
  std::int64_t step = steps.step_of(span.first);
  for (std::uint64_t n = 0; n < count && step <= span.last; ++n, step = steps.next_of(step)) {
    for (Key key : others) {
      key[at] = static_cast<std::uint64_t>(step);
      if (index_.find_or_add(key) == groups_.size()) groups_.emplace_back();
    }
  }
}

}  // namespace steno::query
