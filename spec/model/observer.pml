/* Reading along (ring.md §4.3). Part of ring.pml. */

/* What is on file now: numbers of the session, and records of all. */
inline look_at_file() {
  d_step {
    do
    :: numbers < CALLS + 3 && record_at[KEY(session, numbers)] != 0 -> numbers++
    :: else -> break
    od;
    do
    :: records < committed && key_of[records + 1] != 0 -> records++
    :: else -> break
    od
  }
}

/* File and kept records are all that was logged before we looked, each once, without a gap. */
inline judge_view() {
  d_step {
    assert(seq <= numbers);
    v = 0;
    do
    :: v < count ->
      assert(seq + v >= numbers || record_at[KEY(session, seq + v)] == first + v);
      assert(first + v > records || key_of[first + v] == KEY(session, seq + v) + 1);
      v++
    :: else -> break
    od;
    assert(before <= records || (count != 0 && first <= records + 1 && before < first + count));
    v = 0
  }
}

inline forget_view() {
  atomic {
    session = 0; old_ring_session = 0; start = 0; end_ = 0; p = 0; seq = 0; first = 0; count = 0; v = 0;
    before = 0; numbers = 0; records = 0;
    for (v : 0 .. CAP - 1) { copy[v] = 0 };
    v = 0
  }
}

/* The process has begun another session meanwhile: what was seen is of two. */
inline check_session() {
  if
  :: atomic { session_id != session -> forget_view(); goto end_again }
  :: atomic { session_id == session -> skip }
  fi
}

proctype Observer() {
  byte session, old_ring_session, start, end_, p, seq, first, count, v, before, numbers, records;
  byte copy[CAP];
end_again:
  atomic { has_path && !rings_gone -> session = session_id };
#ifdef M_OBS_RING_SESSION_ONCE
  old_ring_session = ring_session;
#endif
#ifdef M_OBS_FILE_FIRST
  look_at_file();
#endif
#ifdef M_OBS_HEAD
  d_step { start = released[CURRENT].position; seq = released[CURRENT].seq };
#endif
  d_step { end_ = tail; before = committed - (late_p == TAIL && committed != 0 -> 1 : 0) };
  /* The copy, at once: what is asked of each unit is asked of it alone, and this may be at any time. What lies below
     the release is left out: it is not looked at. */
  d_step {
#ifndef M_OBS_HEAD
    start = released[CURRENT].position;
#endif
    p = start;
    do
    :: p < end_ -> copy[p % CAP] = unit[p % CAP]; p++
    :: else -> break
    od;
#ifndef M_OBS_HEAD
    start = 0;
#endif
    p = 0
  };
#ifdef M_OBS_HEAD
  /* What lies below head may have been overwritten; so count what was copied. */
  d_step {
    p = start;
    do
    :: p < head && p < end_ ->
      v = copy[p % CAP];
      if
      :: v == PAD -> p = p + CAP - p % CAP
      :: v == THREAD -> p++
      :: else -> p = p + 1 + v % 2; seq++
      fi
    :: else -> break
    od;
    start = (head > start -> head : start);
    old_ring_session = ring_session;
    v = 0
  };
#else
#ifndef M_OBS_RING_SESSION_ONCE
  old_ring_session = ring_session;
#endif
  d_step { start = released[CURRENT].position; seq = released[CURRENT].seq };
#endif
#if !defined(M_OBS_NO_SESSION) && !defined(M_OBS_RING_SESSION_ONCE)
  if
  :: atomic { ring_session != old_ring_session -> forget_view(); goto end_again }
  :: atomic { ring_session == old_ring_session -> skip }
  fi;
#endif
  d_step {
    seq = (old_ring_session == session -> seq : 0);
    p = start;
    do
    :: p < end_ ->
      v = copy[p % CAP];
      if
      :: v == PAD -> p = p + CAP - p % CAP
      :: v == THREAD -> p++
      :: else ->
        assert(v >= 2 && v < SECOND && v / 2 <= committed);
        first = (count == 0 -> v / 2 : first);
        assert(v / 2 == first + count);
        assert(v % 2 == 0 || copy[(p + 1) % CAP] == SECOND + v / 2);
        p = p + 1 + v % 2;
        count++
      fi
    :: else -> break
    od;
    for (v : 0 .. CAP - 1) { copy[v] = 0 };
    v = 0; p = 0; start = 0; end_ = 0; old_ring_session = 0
  };
#ifdef M_OBS_SESSION_BEFORE_FILE
  check_session();
#endif
#ifndef M_OBS_FILE_FIRST
  look_at_file();
#endif
#if !defined(M_OBS_NO_SESSION) && !defined(M_OBS_SESSION_BEFORE_FILE)
  check_session();
#endif
  atomic { judge_view(); forget_view() }
}
