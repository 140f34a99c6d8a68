/* A session that brings no scribe (ring.md §1.2): its owner, and those of other processes who drain it while it lives,
   one after another. Part of ring.pml. */

proctype Owner() {
  CONSUMER;
  byte begun;
  {
    do
    :: begun < SESSIONS ->
      atomic { draining == 0 -> draining = 1; begun++ };
      atomic { stopped = false; doom = 2 };
      if
      :: session_id != 0 && state != 2 -> skip /* nobody ended the one before: it is carried on */
      :: else ->
        session = session_id + 1;
        session_id = session;
        has_path = true;
        load_cursor();
        begin_walk();
        publish();
        ring_session = session
      fi;
      atomic { state = 1; doom = 1 };
      running = true;
      draining = 0;
      running = false;
      atomic { left_over = dropped; accounted = dropped };
#ifndef M_CLAIM_NOT_AWAITED
      !claimed;
#endif
      atomic { stopped = true; doom = 0 };
      if
      :: state == 2
      :: skip /* it does not wait for ever */
      fi
    :: else -> break
    od;
    stay()
  } unless { d_step { !alive -> forget(); begun = 0; dead++ } }
}

/* What is there when it looks at the tail. */
inline drain_all() {
  t = tail;
  do
  :: position != t -> drain(); head = position
  :: else -> break
  od
}

proctype Drainer(byte me) {
  CONSUMER;
  do
  :: gone || kept -> break
  :: !gone && !kept ->
    {
#ifdef M_TWO_DRAIN
      state == 1 || gone || kept;
      draining = me;
#else
      if
      :: atomic { draining == 0 && lock == 1 && state == 1 -> draining = me }
      :: gone || kept -> goto done
      fi;
#endif
      session = session_id;
      load_cursor();
      begin_walk();
      if
      :: ring_session != session -> publish(); ring_session = session
      :: else
      fi;
      session_block[session] = true;
      do
      :: tail != position -> drain_all()
      :: lock != 1 -> break /* its process died: whoever recovers */
      :: stopped ->
#ifndef M_TAIL_BEFORE_STOPPED
        drain_all();
#endif
        if
        :: announced != 0 -> report_announced()
        :: else
        fi;
#if DROPS
        d_step {
          n = (left_over < dropped -> left_over : dropped);
          n = (n > drops -> n - drops : 0)
        };
        if
        :: n != 0 -> report(n); n = 0
        :: else
        fi;
#endif
        write_end_block();
        state = 2;
        break
      od;
      atomic { draining = 0; forget() }
    } unless { d_step { killed == me -> killed = 0; draining = 0; forget() } }
  od;
done:
  skip
}
