/* A model of ring.md §4.4 for spin: a ring whose extent changes under those who read it. `scripts/check_model` runs it.

   A record is one unit; the one at position p holds p + 1. The producer changes the extent wherever the page allows it, to
   whatever it allows; a consumer drains and releases; an observer reads along. Stores of one process arrive in order.
   Each M_... is a mistake that must be found. */

#ifndef RECORDS
#define RECORDS 5
#endif
#define LARGEST 4

byte unit[LARGEST];
byte tail, head;
short base;
byte capacity = 1;

#define ADDRESS(p, b, c) (((p) - (b)) & ((c) - 1))

inline store_extent(b, c) {
#ifdef M_CAPACITY_FIRST
  capacity = c;
  base = b
#else
  base = b;
  capacity = c
#endif
}

/* Loads: the tail of who asks is `t`. */
inline load_extent(t, b, c) {
#ifdef M_EXTENT_BEFORE_TAIL
  c = capacity;
  b = base;
  t = tail
#else
  t = tail;
  c = capacity;
  b = base
#endif
}

active proctype Producer() {
  byte p, seen, wanted;
  do
  :: p == RECORDS -> break
  :: p < RECORDS ->
    seen = head;
    if
    :: true
    :: capacity < LARGEST ->
#ifndef M_ANYWHERE
      if
      :: ADDRESS(p, base, capacity) == 0 && p <= seen + capacity ->
#else
      if
      :: p <= seen + capacity ->
#endif
        wanted = capacity * 2;
        store_extent(p - capacity, wanted)
      :: else
      fi
#ifndef M_SHRINK_FULL
    :: seen == p ->
#else
    :: true ->
#endif
      if
      :: wanted = 1
      :: wanted = 2
      :: wanted = 4
      fi;
      store_extent(p, wanted)
    fi;
    seen = head;
    if
    :: p < seen + capacity ->
      unit[ADDRESS(p, base, capacity)] = p + 1;
      d_step {
        p++;
        tail = p
      }
    :: else -> head != seen
    fi;
    d_step {
      seen = 0;
      wanted = 0
    }
  od
}

active proctype Consumer() {
  byte r, t, c;
  short b;
  do
  :: r == RECORDS -> break
  :: r < RECORDS ->
    tail != r;
    load_extent(t, b, c);
    do
    :: atomic { r < t -> assert(unit[ADDRESS(r, b, c)] == r + 1); r++ }
    :: else -> break
    od;
    head = r;
    d_step {
      t = 0;
      b = 0;
      c = 0
    }
  od
}

active proctype Observer() {
  byte r, t, c, i;
  short b;
  byte copy[RECORDS];
  r = head;
  load_extent(t, b, c);
  if
  :: t - r > c -> skip /* it makes no sense: look again */
  :: else ->
    i = r;
    do
    :: atomic { i < t -> copy[i] = unit[ADDRESS(i, b, c)]; i++ }
    :: else -> break
    od;
    atomic {
      r = head;
      do
      :: r < t ->
        assert(copy[r] == r + 1);
        r++
      :: else -> break
      od;
      t = 0
    }
  fi
}
