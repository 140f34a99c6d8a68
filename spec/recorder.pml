/* A model of ring.md §4.6 for spin: the flight recorder. `scripts/check_model` runs it; change it with the protocol.

   One ring with CALLS records, CAP at a time, all of which are set aside; its consumer takes them to a flight recorder of CAP records, which overwrites the oldest, and
   writes what is there whenever it likes. It crashes between any two steps; then another recovers, and may crash as well, CRASHES times in all. Positions count records, and
   record n lies at position n of its ring.

   At the end each record is in the file once, or was overwritten and counted. Each M_... is a mistake that must be found. */

#ifndef CAP
#define CAP 2
#endif
#ifndef CALLS
#define CALLS 4
#endif
#ifndef CRASHES
#define CRASHES 3
#endif

#define NONE 255
#define MAY_CRASH if :: crashes < CRASHES -> crashes++; goto next_life :: skip fi

/* Staging: survives every crash. */
byte tail;      /* of the ring */
byte head;      /* its release */
byte taken;     /* in its header */
byte slots[CAP];
byte r_tail;    /* of the flight recorder, with its last taken record */
byte r_taken;
byte r_head;    /* its release: position, number, and how many were overwritten */
byte r_seq;
byte r_gone;

/* The file: the record that has a number. */
byte file[CALLS];

byte crashes;

active proctype consumer() {
  byte i, from, upto, end;
  bool recovers = false;
  atomic {
    i = 0;
    do
    :: i < CALLS -> file[i] = NONE; i++
    :: else -> break
    od
  }

  live:
  do
  :: tail < CALLS && tail - head < CAP -> tail++
  :: tail > head -> goto take
  :: r_tail > r_head -> goto write
  :: goto next_life
  od;

  next_life:
  recovers = true;
#ifdef M_TAKE_FIRST
  if
  :: tail > head -> goto take
  :: else -> goto write
  fi;
#else
  goto write;
#endif

  /* What the ring has, to the recorder; then the ring is released. */
  take:
  skip;
  d_step {
    upto = tail;
    from = (taken > head -> taken : head);
#ifndef M_MARK_IGNORED
    from = (r_taken > from -> r_taken : from);
#endif
  }
  do
  :: r_tail + (upto - from) > r_head + CAP ->
     d_step { r_head++; r_gone++ };
     MAY_CRASH
  :: else -> break
  od;
#ifdef M_TAKEN_FIRST
  taken = upto;
  MAY_CRASH;
#endif
  i = 0;
  do
  :: from + i < upto ->
     slots[(r_tail + i) % CAP] = from + i;
     i++;
     MAY_CRASH
  :: else -> break
  od;
#ifdef M_RELEASED_FIRST
  head = upto;
  MAY_CRASH;
#endif
  skip;
  d_step { r_tail = r_tail + (upto - from); r_taken = upto };
  MAY_CRASH;
  taken = upto;
  MAY_CRASH;
  head = upto;
  MAY_CRASH;
  if
  :: recovers -> goto write
  :: else -> goto live
  fi;

  /* What the recorder has, to the file; then the recorder is released. */
  write:
  atomic {
    i = 0;
    do
    :: r_head + i < r_tail ->
       assert(r_seq + i < CALLS);
       assert(file[r_seq + i] == NONE || file[r_seq + i] == slots[(r_head + i) % CAP]);
       file[r_seq + i] = slots[(r_head + i) % CAP];
       i++
    :: else -> break
    od;
    end = r_tail
  }
  MAY_CRASH;
  d_step { r_seq = r_seq + (end - r_head); r_head = end };
  MAY_CRASH;
  if
  :: !recovers -> goto live
  :: recovers && tail > head -> goto take
  :: else -> skip
  fi;

  /* All is told. */
  atomic {
    assert(r_seq + r_gone == tail);
    i = 0;
    do
    :: i < r_seq ->
       assert(file[i] != NONE);
       assert(i == 0 || file[i] > file[i - 1]);
       i++
    :: else -> break
    od
  }
}
