/* Recovery (ring.md §5), and what the file must hold then. Part of ring.pml. */

hidden byte deaths;

proctype Killer() {
end:
  do
  :: atomic { kills < RECOVERY_CRASHES && lock >= 2 && !killed -> killed = lock; kills++ }
#if EXTERNAL
  :: atomic { kills < RECOVERY_CRASHES && draining >= FIRST_DRAINER && !killed -> killed = draining; kills++ }
#endif
  od
}

/* What must hold before staging is removed. */
inline check_file() {
  d_step {
    t = 0;
    r = 0;
    n = 0;
    v = 1;
    do
    :: v <= committed -> assert(key_of[v] != 0); v++ /* else: lost */
    :: else -> break
    od;
    v = 1;
    do
    :: v <= SESSIONS ->
      q = 0;
      do
      :: q < CALLS + 3 && record_at[KEY(v, q)] != 0 ->
        assert(record_at[KEY(v, q)] == r + 1); /* else: out of order */
        r = record_at[KEY(v, q)];
        n = n + reported[r];
        q++
      :: else -> break
      od;
      assert(no_end[v] || end_total[v] == q); /* else: the totals that verify reads are wrong */
      do
      :: q < CALLS + 3 -> assert(record_at[KEY(v, q)] == 0); q++ /* else: a number is missing */
      :: else -> break
      od;
      q = 0;
      deaths = (death_at[v] -> 1 : 0);
      do
      :: q < OWNS && own_at[v * OWNS + q] == DEATH -> deaths++; q++
      :: q < OWNS && own_at[v * OWNS + q] != 0 && own_at[v * OWNS + q] != DEATH -> n = n + own_at[v * OWNS + q]; q++
      :: else -> break
      od;
      assert(no_end[v] || end_own[v] == q);
      /* Else: a death that nobody tells of, that is told twice, or that was none. */
      assert(deaths == (v == session_id && doom == 1 -> 1 : 0) || (v == session_id && doom == 2 && deaths == 1));
      assert(no_end[v] || end_died[v] == deaths);
      v++
    :: else -> break
    od;
    assert(!DROPS || n == dropped); /* else: unreported, or reported twice */
    t = 0; q = 0; r = 0; n = 0; v = 0; deaths = 0
  }
}

/* Numbered apart from all else, so that it is the same record whoever writes it, and however often. */
inline tell_death() {
  if
  :: !stopped ->
#ifdef M_DEATH_COUNTED
    d_step { own_at[session * OWNS + own] = DEATH; own++ };
    publish()
#else
    put_death_on_file()
#endif
  :: else
  fi
}

inline recover() {
  session = session_id;
  load_cursor();
  if
  :: state == 2 && position == tail && released[CURRENT].announced == 0 && (!DROPS || dropped == drops) -> goto remove
  :: else
  fi;
  begin_walk();
#ifndef M_NO_RESTART
  if
  :: ring_session != session -> publish(); ring_session = session
  :: else
  fi;
#endif
#ifndef M_STATE_KEPT
  state = 1;
#endif
  session_block[session] = true;
  t = tail;
  do
  :: position != t -> drain()
  :: else -> break
  od;
#ifndef M_DEATH_LAST
  tell_death();
#endif
#if DROPS
  if
  :: announced != 0 -> report_announced()
  :: else
  fi;
#ifdef M_DROPS_AFTER
  n = dropped - drops_reported;
#else
  assert(drops <= dropped); /* else: reported twice */
  n = dropped - drops;
#endif
  if
  :: n != 0 -> report(n);
#ifdef M_DROPS_AFTER
    drops_reported = dropped;
#endif
    n = 0
  :: else
  fi;
#endif
  write_end_block();
  state = 2;
#ifdef M_DEATH_LAST
  tell_death();
#endif
  skip
}

inline release_locks() {
#if EXTERNAL
  draining = 0;
#endif
  lock = 0
}

proctype Recoverer(byte me) {
  CONSUMER;
#ifndef M_NO_LOCK
  dead == 2;
#endif
  do
  :: gone || kept -> break
  :: !gone && !kept ->
    {
#ifdef M_NO_LOCK
      lock = me;
#else
      if
#if EXTERNAL
      :: atomic { lock == 0 && draining == 0 && !gone && !kept -> lock = me; draining = me }
#else
      :: atomic { lock == 0 && !gone && !kept -> lock = me }
#endif
      :: gone || kept -> goto done
      fi;
#endif
      if
      :: gone || kept -> goto unlock
      :: else
      fi;
      if
      :: !has_path -> kept = true; goto unlock
      :: else
      fi;
      recover();
remove:
      check_file();
      rings_gone = true;
      gone = true;
unlock:
      atomic { release_locks(); forget() }
    } unless { d_step { killed == me -> killed = 0; release_locks(); forget() } }
  od;
done:
  skip
}
