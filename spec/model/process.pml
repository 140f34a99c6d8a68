/* The process: producer, scribe, and their end. Part of ring.pml. */

inline stay() {
#if CRASH
  false
#else
  skip
#endif
}

inline wake_scribe() {
  skip;
#if SLEEP
#ifndef M_NO_FENCE_WAKE
  fence_p();
#endif
  if
  :: (late_p == SLEEPING || scribe_sleeping == 0)
  :: else -> P_STORE(SLEEPING, 0); d_step { arrive(late_p, value_p); scribe_asleep = false }
  fi
#endif
}

/* Sets `room` if there is room for `size` after a pad if need be, which it writes. */
inline refill() {
  h = head;
  if
  :: position % CAP + size > CAP ->
    if
    :: position + (CAP - position % CAP) + size <= h + CAP ->
      unit[position % CAP] = PAD;
      position = position + CAP - position % CAP;
      P_STORE(TAIL, position)
    :: else
    fi
  :: else
  fi;
  d_step {
    room = position % CAP + size <= CAP && position + size <= h + CAP;
    if
    :: room ->
      limit = (position + size + QUARTER - 1) / QUARTER * QUARTER;
      limit = (limit < h + CAP -> limit : h + CAP);
      limit = (limit < position - position % CAP + CAP -> limit : position - position % CAP + CAP)
    :: else
    fi
  };
  if
  :: room && position - h >= HALF -> wake_scribe()
  :: else
  fi
}

inline commit(announced) {
  atomic {
    d_step { committed++; thread_of[committed] = thread; reported[committed] = announced };
    P_STORE(TAIL, position + size)
  }
}
inline write_record(announced) {
#ifdef M_TAIL_FIRST
  commit(announced);
  unit[position % CAP] = 2 * committed + size - 1;
#else
  unit[position % CAP] = 2 * (committed + 1) + size - 1;
  if
  :: size == 2 -> unit[(position + 1) % CAP] = SECOND + committed + 1
  :: else
  fi;
  commit(announced);
#endif
  position = position + size
}

inline forget_call() {
  position = 0; limit = 0; h = 0; size = 0; calls = 0; thread = 0; wanted = 0; n = 0; room = 0
}

inline claim_drops() {
#if EXTERNAL
  claimed = true;
#endif
  atomic { n = dropped - accounted; accounted = dropped }
}

proctype Producer() {
  byte position, limit, h, size, calls, thread, wanted, n;
  bool room;
  {
    do
    :: calls < CALLS ->
      atomic {
        calls++;
        if
        :: size = 1
        :: size = 2
        fi
      };
again:
#if DROPS
      if
      :: dropped != accounted ->
        atomic { wanted = size; size = 1 };
        refill();
        if
        :: room ->
          claim_drops();
          write_record(n);
#if EXTERNAL
          claimed = false;
#endif
          atomic { limit = position; size = wanted };
#ifdef M_DROPS_AFTER
          drops_reported = drops_reported + n;
#endif
          n = 0
        :: else -> size = wanted; goto no_room
        fi
      :: else
      fi;
#endif
      if
      :: position + size > limit || position % CAP + size > CAP ->
        refill();
        if
        :: room
        :: else -> goto no_room
        fi
      :: else
      fi;
      write_record(0);
#if RENAMES
      if
      :: thread == 0 ->
        size = 1;
        refill();
        if
        :: room ->
          unit[position % CAP] = THREAD;
          atomic { thread++; position++; P_STORE(TAIL, position) }
        :: else
        fi
      :: true
      fi;
#endif
      goto progress_next;
no_room:
      if
      :: running && !DROPS ->
#if SLEEP
        hurry = true;
        wake_scribe();
        P_STORE(WAITING, 1);
#ifndef M_NO_FENCE_FULL
        fence_p();
#endif
#ifndef M_NO_SECOND_LOOK
        refill();
        if
        :: room -> goto again
        :: else
        fi;
#endif
        atomic {
          arrive(late_p, value_p); /* a system call */
          if
          :: producer_waiting == 1 -> producer_asleep = true
          :: else
          fi
        };
        !producer_asleep;
#else
        head != h || !running;
#endif
        goto again
      :: else ->
#if DROPS
        dropped++
#else
        skip
#endif
      fi;
progress_next:
      skip
    :: else -> break
    od;
    logged_all = true;
    hurry = true;
    wake_scribe();
    stay()
  } unless { d_step { !alive -> forget_call(); dead++ } }
}

inline pass() {
  drain();
  S_STORE(HEAD, position);
#if SLEEP
#ifndef M_NO_FENCE_RELEASE
  fence_s();
#endif
  if
  :: producer_waiting -> S_STORE(WAITING, 0); d_step { arrive(late_s, value_s); producer_asleep = false }
  :: else
  fi
#endif
}

#if !EXTERNAL
proctype Scribe() {
  CONSUMER;
  bool carried_on; /* its session could not end */
#if FULL_DISK
  byte claimed; /* drops that it took upon itself to tell of, and has not */
#endif
  {
    do
    :: session < SESSIONS || carried_on ->
#ifndef M_STOPPED_KEPT
      atomic { stopped = false; doom = 2 };
#endif
      if
      :: carried_on -> carried_on = false /* the same path: the session that could not end goes on */
      :: session < SESSIONS -> /* another session; of one that could not end nobody knows whether all is there */
        d_step {
          no_end[session] = carried_on;
          carried_on = false;
          session++
        };
        session_id = session;
        has_path = true;
#ifdef M_RING_SESSION_FIRST
        ring_session = session;
#endif
#ifndef M_SEQ_KEPT
        d_step { seq = 0; own = 0; begin_walk() };
#ifdef M_ANNOUNCED_FORGOTTEN
        announced = 0;
#endif
        publish();
#endif
        ring_session = session
      fi;
      atomic { state = 1; doom = 1 };
      session_block[session] = true;
#if FULL_DISK
      if
      :: announced != 0 ->
        report_announced();
        claimed = 0
      :: else
      fi;
#endif
      running = true;
      do
      :: tail != position -> t = tail; pass()
#if SLEEP
      :: atomic { tail == position && !logged_all -> hurry = false };
        S_STORE(SLEEPING, 1);
#ifndef M_NO_FENCE_SLEEP
        fence_s();
#endif
        if
        :: hurry || tail - position >= HALF -> S_STORE(SLEEPING, 0)
        :: else ->
          atomic {
            arrive(late_s, value_s);
            if
            :: scribe_sleeping -> scribe_asleep = true
            :: else
            fi
          };
          !scribe_asleep;
          S_STORE(SLEEPING, 0)
        fi
      :: logged_all -> break
#else
      :: break
#endif
      od;
      do
      :: tail != position -> t = tail; pass()
      :: tail == position && !running -> break
      :: running -> running = false
      od;
#if DROPS
      atomic { n = dropped - accounted; accounted = dropped };
      if
#if FULL_DISK
      :: n != 0 && !refused -> /* the file does not take the record: it stays announced, and the session has no end */
        atomic { refused = true; announced = n; claimed = n; n = 0; doom = 2 };
        publish();
        atomic { stopped = true; doom = 0 };
        carried_on = true;
        goto refused_end
#endif
      :: n != 0 -> report(n);
#ifdef M_DROPS_AFTER
        drops_reported = drops_reported + n;
#endif
        n = 0
      :: else
      fi;
#endif
#if FULL_DISK
      assert(claimed == 0); /* else: the owner removes staging, and nobody will tell */
#endif
#ifdef M_STATE_FIRST
      state = 2;
#endif
      atomic { write_end_block(); doom = 2 };
#ifndef M_STOPPED_LATE
      stopped = true;
#endif
      atomic { state = 2; doom = 0 };
#ifdef M_STOPPED_LATE
      stopped = true;
#endif
refused_end:
      skip
    :: else -> break
    od;
    stay()
  } unless { d_step { !alive -> forget(); dead++ } }
}
#endif

proctype Crash() {
  atomic {
    alive = false;
    d_step { arrive(late_p, value_p); arrive(late_s, value_s) };
    d_step { running = 0; hurry = 0; logged_all = 0; producer_asleep = 0; scribe_asleep = 0; accounted = 0; lock = 0 };
#if EXTERNAL
    d_step { claimed = false; draining = (draining == 1 -> 0 : draining) }
#endif
    skip
  }
}
