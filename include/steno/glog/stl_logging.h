// Containers in streams, as glog's stl_logging.h prints them: their elements with blanks between, pairs as (a, b), and
// after a hundred of them "...". In the global namespace, for who includes it; in other namespaces that have an
// operator<< of their own, `using ::operator<<;`.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <ostream>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace google {
namespace detail {

template <class Iterator>
void print_sequence(std::ostream& out, Iterator begin, Iterator end);

}  // namespace detail
}  // namespace google

template <class A, class B>
std::ostream& operator<<(std::ostream& out, const std::pair<A, B>& pair);

#define STENO_DETAIL_GLOG_CONTAINER(container)                                 \
  template <class... T>                                                        \
  std::ostream& operator<<(std::ostream& out, const container<T...>& values) { \
    ::google::detail::print_sequence(out, values.begin(), values.end());       \
    return out;                                                                \
  }
STENO_DETAIL_GLOG_CONTAINER(std::vector)
STENO_DETAIL_GLOG_CONTAINER(std::deque)
STENO_DETAIL_GLOG_CONTAINER(std::list)
STENO_DETAIL_GLOG_CONTAINER(std::set)
STENO_DETAIL_GLOG_CONTAINER(std::multiset)
STENO_DETAIL_GLOG_CONTAINER(std::map)
STENO_DETAIL_GLOG_CONTAINER(std::multimap)
STENO_DETAIL_GLOG_CONTAINER(std::unordered_set)
STENO_DETAIL_GLOG_CONTAINER(std::unordered_multiset)
STENO_DETAIL_GLOG_CONTAINER(std::unordered_map)
STENO_DETAIL_GLOG_CONTAINER(std::unordered_multimap)
#undef STENO_DETAIL_GLOG_CONTAINER

template <class A, class B>
std::ostream& operator<<(std::ostream& out, const std::pair<A, B>& pair) {
  return out << '(' << pair.first << ", " << pair.second << ')';
}

namespace google {
namespace detail {

template <class Iterator>
void print_sequence(std::ostream& out, Iterator begin, Iterator end) {
  using ::operator<<;
  constexpr std::size_t kMost = 100;
  for (std::size_t i = 0; begin != end && i < kMost; ++begin, ++i) {
    if (i != 0) out << ' ';
    out << *begin;
  }
  if (begin != end) out << " ...";
}

}  // namespace detail
}  // namespace google
