/* A model of ring.md §4.2, §4.3 and §5 for spin. `scripts/check_model` runs it; change it with the protocol.

   One process with a producer and a scribe (or, EXTERNAL, those of other processes) that runs SESSIONS sessions one after the other in one staging; it crashes
   between any two steps, or at its end. Then RECOVERERS recover it, at the same time, and themselves crash up to
   RECOVERY_CRASHES times. An observer reads along, whenever it likes. What is where:

     staging    survives every crash: the ring, its header, the session file
     process    dies with it: limits, cursors. What is in a store buffer does arrive
     file       what a reader makes of the log file: for each number of each session the record that it shows
     ghosts     what the properties need and no program has

   Units: a record is 1 or 2 units of a ring of CAP, positions count units. Records are named 1, 2, .. as they are
   committed. A block is on file at one step: a torn one has no valid checksum and shows nothing.

   TSO: a store buffer of depth 1 for each of the two threads, as a store may pass a later load unless a fence comes
   between. There are no timeouts here: whoever sleeps is woken, or the model ends in a state that is no end (deadlock).

   The processes are in model/. Each M_... is a mistake that must be found: `scripts/check_model --self-test`. */

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
#ifndef FULL_DISK
#define FULL_DISK 0 /* 1: once the file refuses a record of the scribe's own at the end of a session */
#endif
#ifndef EXTERNAL
#define EXTERNAL 0 /* 1: the process brings no scribe; DRAINERS of other processes drain it, and crash like recoverers */
#endif
#ifndef DRAINERS
#define DRAINERS 2
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
#define DEATH 50 /* M_DEATH_COUNTED: one of these */

/* ---- staging ---- */
byte unit[CAP];
byte tail, head, producer_waiting;
byte releases;
typedef Release { byte position; byte seq; byte drops; byte own; byte announced; byte slot };
Release released[2];
byte threads[2];
byte ring_session;
byte dropped;
byte drops_reported; /* M_DROPS_AFTER */
byte session_id;
byte state; /* 0 none has run, 1 runs, 2 end block on file */
bool stopped; /* in order, whether that block is on file or not */
bool has_path, scribe_sleeping;
bool rings_gone, gone;
byte lock = 1; /* 0 free, 1 the process's, 2.. a recoverer's */
bool kept; /* staging without a path */
#if EXTERNAL
#define FIRST_DRAINER 10 /* recoverers have the numbers from 2 on */
byte draining; /* the lock on `consumer`: 0 free, 1 the owner's, 2.. who drains or recovers */
byte left_over; /* of `dropped`: what the consumer is to report when the session ends */
#endif

/* ---- process ---- */
bool alive = true;
byte dead; /* of its threads */
bool running, hurry, logged_all, producer_asleep, scribe_asleep;
byte accounted; /* drops that a record tells of or will */
bool refused;   /* FULL_DISK: it has */
#if EXTERNAL
bool claimed;   /* the producer has taken drops upon itself, and has not committed the record */
#endif

/* ---- file ---- */
byte record_at[KEYS]; /* by number: the record; 0: none */
byte own_at[(SESSIONS + 1) * OWNS]; /* by number: how many drops the consumer's own record tells of; 0: none */
byte session_block[SESSIONS + 1];
byte end_total[SESSIONS + 1], end_own[SESSIONS + 1]; /* of the last end block */
bool no_end[SESSIONS + 1]; /* its file refused it */
bool death_at[SESSIONS + 1]; /* the record of the process's death, which has a number of its own */
bool end_died[SESSIONS + 1]; /* the last end block says that it died */

/* ---- ghosts ---- */
byte committed;            /* records 1..committed are */
byte key_of[CALLS + 3];    /* by record: its number on file + 1; 0: not on file */
byte reported[CALLS + 3];      /* by record: the drops that it tells of */
byte thread_of[CALLS + 3]; /* by record */
byte killed, kills;        /* of those who recover or drain: who is to die, and how many have */
byte doom;                 /* the session is: 0 not under way, 1 under way, 2 beginning or ending */

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
  /* Else: one hides another. */
  assert(record_at[KEY(session, number)] == 0 || record_at[KEY(session, number)] == record);
  record_at[KEY(session, number)] = record;
  assert(record != 0 && record <= committed); /* else: shown, but never logged */
  assert(key_of[record] == 0 || key_of[record] == KEY(session, number) + 1); /* else: shown twice */
  key_of[record] = KEY(session, number) + 1
}
inline put_own_on_file(number, drops_reported) {
  assert(session_block[session]);
  if
  :: own_at[session * OWNS + number] == 0 -> own_at[session * OWNS + number] = drops_reported
  :: else
  fi
}

inline put_death_on_file() {
  d_step {
    assert(session_block[session]);
    death_at[session] = true
  }
}

#include "model/consumer.pml"
#include "model/process.pml"
#if EXTERNAL
#include "model/external.pml"
#endif
#if CRASH
#include "model/recovery.pml"
#endif
#if OBSERVERS
#include "model/observer.pml"
#endif

init {
  atomic {
    byte i;
    run Producer();
#if EXTERNAL
    run Owner();
    for (i : 1 .. DRAINERS) { run Drainer(FIRST_DRAINER + i - 1) }
#else
    run Scribe();
#endif
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
