/* The consumer's half of ring.md §4.2, as scribe and recoverer share it. Part of ring.pml. */

/* What a consumer knows; the inlines below are for processes with these variables. */
#define CONSUMER                                                                                     \
  byte position, seq, drops, own, announced, thread, slot, session; /* as of the release */ \
  byte next;                                        /* after what the walk took */                 \
  byte first, count, new_drops, new_thread;         /* what it found */                             \
  byte t, v, n, q, r

#define CURRENT (releases % 2)

inline load_cursor() {
  d_step {
    position = released[CURRENT].position;
    seq = released[CURRENT].seq;
    drops = released[CURRENT].drops;
    own = released[CURRENT].own;
    announced = released[CURRENT].announced;
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
      new_drops = new_drops + reported[v / 2];
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
inline publish() {
  if
  :: new_thread != thread -> atomic { slot = OTHER_THREAD(slot); threads[slot] = new_thread }
  :: else
  fi;
  released[OTHER].seq = seq + count;
  atomic { released[OTHER].position = next; released[OTHER].slot = slot };
  atomic { released[OTHER].drops = drops + new_drops; released[OTHER].own = own };
  released[OTHER].announced = announced;
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
   release, so that whoever comes after a crash writes the same one again, whatever was dropped meanwhile. */
inline report(drops_reported) {
  announced = drops_reported;
#ifndef M_OWN_UNANNOUNCED
  publish();
#endif
  report_announced()
}
inline report_announced() {
  d_step { put_own_on_file(own, announced) };
  atomic { own++; drops = drops + announced; announced = 0 };
  publish()
}

inline write_end_block() {
  atomic { end_total[session] = seq; end_own[session] = own; end_died[session] = !alive && !stopped }
}

/* For fewer states: what a process knew is nothing once it is dead. */
inline forget() {
  position = 0; seq = 0; drops = 0; own = 0; announced = 0; thread = 0; slot = 0; session = 0;
  next = 0; first = 0; count = 0; new_drops = 0; new_thread = 0;
  t = 0; v = 0; n = 0; q = 0; r = 0
}

/* Reads records up to `t`, or fewer, and has them on file; then releases them. */
inline drain() {
  do
  :: next < t -> walk_one()
  :: next == t || count != 0 -> break
  od;
#ifdef M_RELEASE_BEFORE_FILE
  atomic { q = seq; r = first; n = count };
  publish();
  write_block(q, r, n);
  atomic { q = 0; r = 0; n = 0 };
#else
  write_block(seq, first, count);
#ifdef M_HEAD_FIRST
  S_STORE(HEAD, next);
#endif
  publish();
#endif
}
