/* A model of ring.md §4.2, §4.3 and §5 for spin. `scripts/check_model` runs it; change it with the protocol.

   One process with a producer and a scribe that runs SESSIONS sessions one after the other in one staging; it crashes
   between any two steps, or at its end. Then RECOVERERS recover it, at the same time, and themselves crash up to
   RECOVERY_CRASHES times. An observer reads along, whenever it likes. What is where:

     staging    survives every crash: the ring, its header, the session file
     process    dies with it: limits, cursors, the store buffers' owners (what is in a store buffer does arrive)
     file       what a reader makes of the log file: for each number of each session the record that it shows
     ghosts     what the properties need and no program has

   Units: a record is 1 or 2 units of a ring of CAP, positions count units. Records are named 1, 2, .. as they are
   committed. A block is on file at one step: a torn one has no valid checksum and shows nothing.

   TSO: a store buffer of depth 1 for each of the two threads, as a store may pass a later load unless a fence comes
   between. There are no timeouts here: whoever sleeps is woken, or the model ends in a state that is no end (deadlock).

   Each M_... is a mistake that must be found: `scripts/check_model --self-test`. */

#ifndef CAP
#define CAP 4
#endif
#ifndef CALLS
#define CALLS 4 /* log calls */
#endif
#ifndef SESSIONS
#define SESSIONS 1
#endif
#ifndef CRASH
#define CRASH 0 /* 1: the process crashes, at its end at the latest */
#endif
#ifndef RECOVERERS
#define RECOVERERS 1
#endif
#ifndef RECOVERY_CRASHES
#define RECOVERY_CRASHES 1
#endif
#ifndef OBSERVERS
#define OBSERVERS 0
#endif
#ifndef TSO
#define TSO 0
#endif
#ifndef SLEEP
#define SLEEP 0 /* 1: who waits sleeps on a futex; 0: it just waits */
#endif
#ifndef DROPS
#define DROPS 0 /* 1: what finds no room is dropped, and told of */
#endif
#ifndef RENAMES
#define RENAMES 0 /* 1: the ring goes to another thread once */
#endif

#define HALF (CAP / 2)
#define QUARTER (CAP / 4)
#define KEYS ((SESSIONS + 1) * (CALLS + 3))
#define KEY(session, seq) ((session) * (CALLS + 3) + (seq))

/* What a unit of the ring holds. */
#define FIRST 0   /* + 2 * record + size - 1 */
#define SECOND 60 /* + record: the second unit */
#define PAD 100   /* to the end of the data */
#define THREAD 101
#define OWNS 4 /* records of the consumer's own, at most, in a session */

/* ---- staging ---- */
byte unit[CAP];
byte tail, head, producer_waiting;
byte releases;
typedef Release { byte position; byte seq; byte drops; byte own; byte telling; byte slot };
Release released[2];
byte threads[2];
byte ring_session;
byte dropped;
byte drops_reported; /* M_DROPS_AFTER */
byte session_id;
byte state; /* 0 none has run, 1 runs, 2 end block on file */
bool has_path, scribe_sleeping;
bool rings_gone, gone;
byte lock = 1; /* 0 free, 1 the process's, 2.. a recoverer's */

/* ---- process ---- */
bool alive = true;
byte dead; /* of its threads */
bool running, hurry, logged_all, producer_asleep, scribe_asleep;
byte accounted; /* drops that a record tells of or will */

/* ---- file ---- */
byte record_at[KEYS]; /* by number: the record; 0: none */
byte own_at[(SESSIONS + 1) * OWNS]; /* by number: how many drops the consumer's own record tells of; 0: none */
byte session_block[SESSIONS + 1];
byte end_total[SESSIONS + 1], end_own[SESSIONS + 1]; /* of the last end block */

/* ---- ghosts ---- */
byte committed;            /* records 1..committed are */
byte key_of[CALLS + 3];    /* by record: its number on file + 1; 0: not on file */
byte told[CALLS + 3];      /* by record: the drops that it tells of */
byte thread_of[CALLS + 3]; /* by record */

/* ---- stores that may be late ---- */
#define TAIL 1
#define WAITING 2
#define SLEEPING 3
#define HEAD 4
byte late_p, value_p; /* the producer's, and the scribe's: which word, what value */
byte late_s, value_s;

inline arrive(late, value) {
  if
  :: late == TAIL -> tail = value
  :: late == WAITING -> producer_waiting = value
  :: late == SLEEPING -> scribe_sleeping = value
  :: late == HEAD -> head = value
  :: else
  fi;
  late = 0;
  value = 0
}
inline put_late(late, buffered, word, value) {
  d_step {
    arrive(late, buffered);
    late = word;
    buffered = value;
    if
    :: !TSO -> arrive(late, buffered)
    :: else
    fi
  }
}
#define P_STORE(word, value) put_late(late_p, value_p, word, value)
#define S_STORE(word, value) put_late(late_s, value_s, word, value)
inline fence_p() { d_step { arrive(late_p, value_p) } }
inline fence_s() { d_step { arrive(late_s, value_s) } }

proctype Memory() {
end:
  do
  :: d_step { late_p != 0 -> arrive(late_p, value_p) }
  :: d_step { late_s != 0 -> arrive(late_s, value_s) }
  od
}

/* ---- the file, as a reader takes it: of records with the same number the first one counts ---- */
inline put_on_file(number, record) {
  assert(session_block[session]);
  assert(record_at[KEY(session, number)] == 0 || record_at[KEY(session, number)] == record); /* else: one hides another */
  record_at[KEY(session, number)] = record;
  assert(record != 0 && record <= committed); /* else: shown, but never logged */
  assert(key_of[record] == 0 || key_of[record] == KEY(session, number) + 1); /* else: shown twice */
  key_of[record] = KEY(session, number) + 1
}
inline put_own_on_file(number, drops_told) {
  assert(session_block[session]);
  if
  :: own_at[session * OWNS + number] == 0 -> own_at[session * OWNS + number] = drops_told
  :: else
  fi
}

/* ---- the consumer's half: scribe and recoverer ---- */

/* What a consumer knows; the inlines below are for processes with these variables. */
#define CONSUMER                                                                                     \
  byte position, seq, drops, own, thread, slot, session; /* from where to read, the number there ... */ \
  byte next;                                        /* behind what the walk took */                 \
  byte first, count, new_drops, new_thread;         /* what it found */                             \
  byte t, v, n, q, r

#define CURRENT (releases % 2)

inline load_cursor() {
  d_step {
    position = released[CURRENT].position;
    seq = released[CURRENT].seq;
    drops = released[CURRENT].drops;
    own = released[CURRENT].own;
    slot = released[CURRENT].slot;
    thread = threads[slot];
#ifndef M_MISMATCH_IGNORED
    if
    :: ring_session != session -> seq = 0; own = 0
    :: else
    fi
#endif
  }
}

/* One record, if the walk is not at its end; the record's thread is the one that the consumer believes. */
inline walk_one() {
  d_step {
    v = unit[next % CAP];
    if
    :: v == PAD -> next = next + CAP - next % CAP
    :: v == THREAD -> next++; new_thread++
    :: else ->
      assert(v >= 2 && v < SECOND);
      if
      :: count == 0 -> first = v / 2
      :: else -> assert(v / 2 == first + count)
      fi;
      assert(v / 2 > committed || thread_of[v / 2] == new_thread);
      if
      :: v % 2 -> assert(unit[(next + 1) % CAP] == SECOND + v / 2); next = next + 2
      :: else -> next++
      fi;
      new_drops = new_drops + told[v / 2];
      count++
    fi;
    v = 0
  }
}

inline begin_walk() {
  next = position;
  first = 0;
  count = 0;
  new_drops = 0;
  new_thread = thread
}

inline write_block(of_seq, of_first, of_count) {
  d_step {
    v = 0;
    do
    :: v < of_count -> put_on_file(of_seq + v, of_first + v); v++
    :: else -> break
    od;
    v = 0
  }
}

#ifdef M_ONE_SLOT
#define OTHER CURRENT
#else
#define OTHER (1 - CURRENT)
#endif
#ifdef M_ONE_THREAD_SLOT
#define OTHER_THREAD(slot) slot
#else
#define OTHER_THREAD(slot) (1 - slot)
#endif

/* Word by word: the slots, then `releases`. `head` is the caller's. */
inline publish(new_telling) {
  if
  :: new_thread != thread -> atomic { slot = OTHER_THREAD(slot); threads[slot] = new_thread }
  :: else
  fi;
  released[OTHER].seq = seq + count;
  atomic { released[OTHER].position = next; released[OTHER].slot = slot };
  atomic { released[OTHER].drops = drops + new_drops; released[OTHER].own = own; released[OTHER].telling = new_telling };
  d_step {
    releases = 1 - releases;
    position = next;
    seq = seq + count;
    drops = drops + new_drops;
    thread = new_thread;
    begin_walk()
  }
}

/* A record of the consumer's own: numbered beside the ring's, as the producer may commit one meanwhile; announced in a
   release, so that whoever comes after a crash writes the same one again. */
inline tell() {
#ifndef M_OWN_UNANNOUNCED
  publish(n);
#endif
  tell_announced()
}
inline tell_announced() {
  d_step { put_own_on_file(own, n) };
  atomic { own++; new_drops = n };
  publish(0)
}

inline write_end_block() {
  atomic { end_total[session] = seq; end_own[session] = own }
}

/* For fewer states: what a process knew is nothing once it is dead. */
inline forget() {
  position = 0; seq = 0; drops = 0; own = 0; thread = 0; slot = 0; session = 0;
  next = 0; first = 0; count = 0; new_drops = 0; new_thread = 0;
  t = 0; v = 0; n = 0; q = 0; r = 0
}

/* ---- the process ---- */

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

/* Sets `room` if there is room for `size` behind a pad if need be, which it writes. */
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

inline commit(telling) {
  atomic {
    d_step { committed++; thread_of[committed] = thread; told[committed] = telling };
    P_STORE(TAIL, position + size)
  }
}
inline write_record(telling) {
#ifdef M_TAIL_FIRST
  commit(telling);
  unit[position % CAP] = 2 * committed + size - 1;
#else
  unit[position % CAP] = 2 * (committed + 1) + size - 1;
  if
  :: size == 2 -> unit[(position + 1) % CAP] = SECOND + committed + 1
  :: else
  fi;
  commit(telling);
#endif
  position = position + size
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
          atomic { n = dropped - accounted; accounted = dropped };
          write_record(n);
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
  } unless { d_step { !alive -> position = 0; limit = 0; h = 0; size = 0; calls = 0; thread = 0; wanted = 0; n = 0; room = 0; dead++ } }
}

/* Reads records up to `t`, or fewer, and has them on file; then releases them. */
inline drain() {
  do
  :: next < t -> walk_one()
  :: next == t || count != 0 -> break
  od;
#ifdef M_RELEASE_BEFORE_FILE
  atomic { q = seq; r = first; n = count };
  publish(0);
  write_block(q, r, n);
  atomic { q = 0; r = 0; n = 0 };
#else
  write_block(seq, first, count);
#ifdef M_HEAD_FIRST
  S_STORE(HEAD, next);
#endif
  publish(0);
#endif
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

proctype Scribe() {
  CONSUMER;
  {
    do
    :: session < SESSIONS ->
      session++;
      session_id = session;
      has_path = true;
#ifdef M_RING_SESSION_FIRST
      ring_session = session;
#endif
#ifndef M_SEQ_KEPT
      d_step { seq = 0; own = 0; begin_walk() };
      publish(0);
#endif
      ring_session = session;
      state = 1;
      session_block[session] = true;
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
      :: n != 0 -> tell();
#ifdef M_DROPS_AFTER
        drops_reported = drops_reported + n;
#endif
        n = 0
      :: else
      fi;
#endif
#ifdef M_STATE_FIRST
      state = 2;
#endif
      write_end_block();
      state = 2
    :: else -> break
    od;
    stay()
  } unless { d_step { !alive -> forget(); dead++ } }
}

#if CRASH
proctype Crash() {
  atomic {
    alive = false;
    d_step { arrive(late_p, value_p); arrive(late_s, value_s) };
    d_step { running = 0; hurry = 0; logged_all = 0; producer_asleep = 0; scribe_asleep = 0; accounted = 0; lock = 0 }
  }
}

/* ---- recovery ---- */
bool kept; /* staging without a path */
byte killed, kills;

proctype Killer() {
end:
  do
  :: atomic { kills < RECOVERY_CRASHES && lock >= 2 && !killed -> killed = lock; kills++ }
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
        n = n + told[r];
        q++
      :: else -> break
      od;
      assert(end_total[v] == q); /* else: the totals that verify reads are wrong */
      do
      :: q < CALLS + 3 -> assert(record_at[KEY(v, q)] == 0); q++ /* else: a number is missing */
      :: else -> break
      od;
      q = 0;
      do
      :: q < OWNS && own_at[v * OWNS + q] != 0 -> n = n + own_at[v * OWNS + q]; q++
      :: else -> break
      od;
      assert(end_own[v] == q);
      v++
    :: else -> break
    od;
    assert(!DROPS || n == dropped); /* else: drops untold, or told twice */
    t = 0; q = 0; r = 0; n = 0; v = 0
  }
}

inline recover() {
  session = session_id;
  load_cursor();
  if
  :: state == 2 && position == tail && released[CURRENT].telling == 0 && (!DROPS || dropped == drops) -> goto remove
  :: else
  fi;
  begin_walk();
#ifndef M_NO_RESTART
  if
  :: ring_session != session -> publish(0); ring_session = session
  :: else
  fi;
#endif
#ifndef M_STATE_KEPT
  state = 1;
#endif
  session_block[session] = true;
#if DROPS
  n = released[CURRENT].telling;
  if
  :: n != 0 -> tell_announced(); n = 0
  :: else
  fi;
#endif
  t = tail;
  do
  :: position != t -> drain()
  :: else -> break
  od;
#if DROPS
#ifdef M_DROPS_AFTER
  n = dropped - drops_reported;
#else
  n = dropped - drops;
#endif
  if
  :: n != 0 -> tell();
#ifdef M_DROPS_AFTER
    drops_reported = dropped;
#endif
    n = 0
  :: else
  fi;
#endif
  write_end_block();
  state = 2
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
      :: atomic { lock == 0 && !gone && !kept -> lock = me }
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
      atomic { lock = 0; forget() }
    } unless { d_step { killed == me -> killed = 0; lock = 0; forget() } }
  od;
done:
  skip
}
#endif

#if OBSERVERS
/* ---- reading along (§4.3) ---- */

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
    session = 0; old_ring_session = 0; start = 0; end_ = 0; p = 0; seq = 0; first = 0; count = 0; v = 0; before = 0; numbers = 0; records = 0;
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
  /* The copy, at once: what is asked of each unit is asked of it alone, and this may be at any time. What lies below the
     release is left out: it is not looked at. */
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
#endif

init {
  atomic {
    byte i;
    run Producer();
    run Scribe();
#if TSO
    run Memory();
#endif
#if CRASH
    run Crash();
    run Killer();
    for (i : 1 .. RECOVERERS) { run Recoverer(i + 1) }
#endif
#if OBSERVERS
    for (i : 1 .. OBSERVERS) { run Observer() }
#endif
  }
}
