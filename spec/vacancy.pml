/* A model of ring.md §1.6 for spin: staging that goes from one process to the next. `scripts/check_model` runs it; change
   it with the protocol.

   There is one directory, which is vacant and offered at first. PROCESSES begin at any time; each takes it over if it can,
   logs one record, ends in order and leaves it, or crashes between any two steps. A scribe drains who lives, recovers
   who is dead, removes what is vacant or leaves it, frees slots whenever it likes, and may crash too. Each M_... is a
   mistake that must be found. */

#ifndef PROCESSES
#define PROCESSES 3
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#define SCRIBE (PROCESSES + 1)

#define FREE 0
#define RESERVED 1
#define OFFERED 2

bool exists = true;
byte consumer, owner;   /* who holds the locks; of the inodes, even when they have no name any more */
bool version = true;    /* else it is 0 */
byte session_id;        /* of the process whose session it is */
byte state = 2;
bool stopped = true, vacant = true;
byte ring;              /* whose record waits in ring 0; 0: none */
byte slot = OFFERED;
byte user;              /* the process that lives there */

bool logged[PROCESSES + 2];
byte on_file[PROCESSES + 2];
byte over;              /* processes */
byte killed, kills;

inline unlock(who) {
  d_step {
    if
    :: consumer == who -> consumer = 0
    :: else
    fi;
    if
    :: owner == who -> owner = 0
    :: else
    fi
  }
}

proctype Process(byte me) {
  {
    if
    :: d_step { slot == OFFERED -> slot = FREE }
    :: goto elsewhere
    fi;
    if
    :: exists /* has it open */
    :: !exists -> goto elsewhere
    fi;
#ifndef M_CONSUMER_NOT_LOCKED
    if
    :: d_step { consumer == 0 -> consumer = me }
    :: consumer != 0 -> goto put_back
    fi;
#endif
#ifndef M_OWNER_NOT_LOCKED
    if
    :: d_step { owner == 0 -> owner = me }
    :: owner != 0 -> unlock(me); goto put_back
    fi;
#endif
#ifndef M_LINK_NOT_CHECKED
    if
    :: exists
    :: !exists -> unlock(me); goto elsewhere
    fi;
#endif
    if
#ifdef M_END_NOT_AWAITED
    :: version && vacant
#else
    :: version && vacant && state == 2
#endif
    :: else -> unlock(me); goto elsewhere
    fi;
    d_step { version = false; user = me };
    session_id = me;
    stopped = false;
    vacant = false;
    state = 0;
    ring = 0; /* its header is cleared */
    version = true;
    d_step { assert(exists && ring == 0); ring = me; logged[me] = true }; /* may be before the session begins */
    state = 1;
    consumer = (consumer == me -> 0 : consumer);
    stopped = true;
#ifndef M_END_NOT_AWAITED
    state == 2;
#endif
    assert(session_id == me);
    if
    :: d_step { slot == FREE -> slot = RESERVED }
    :: slot != FREE -> goto removes
    fi;
    vacant = true;
    user = 0;
    unlock(me);
#ifdef M_MAPPING_KEPT
    d_step { ring = me; logged[me] = true };
#endif
    if
    :: d_step { slot == RESERVED -> slot = OFFERED }
    :: slot != RESERVED -> skip
    fi;
    goto elsewhere;
put_back:
    if
    :: d_step { slot == FREE -> slot = OFFERED }
    :: slot != FREE -> skip
    fi;
    goto elsewhere;
removes:
    assert(ring == 0);
    user = 0;
    exists = false;
    unlock(me);
elsewhere:
    skip
  } unless { atomic { killed == me -> killed = 0; user = (user == me -> 0 : user); unlock(me) } };
  over++
}

proctype Killer() {
  byte i;
end:
  do
  :: atomic { kills < CRASHES && killed == 0 -> select(i : 1 .. SCRIBE); killed = i; kills++ }
  od
}

proctype Scribe() {
  bool last, ends;
  byte session; /* that it drains, or recovers */
  do
  :: {
      last = (over == PROCESSES);
      if
      :: exists && owner != 0 && version && state == 1 ->
        if
        :: d_step { consumer == 0 -> consumer = SCRIBE }
        :: consumer != 0 -> goto next
        fi;
        if
        :: !(exists && version && state == 1) -> unlock(SCRIBE); goto next
        :: else
        fi;
        session = session_id;
        ends = stopped; /* before it looks at the tail */
        if
        :: ring != 0 -> d_step { on_file[session_id]++; ring = 0 }
        :: else
        fi;
        if
        :: ends -> state = 2
        :: else
        fi;
        assert(session_id == session); /* it still writes to the session file */
        unlock(SCRIBE)
      :: exists && owner == 0 ->
        if
        :: d_step { consumer == 0 -> consumer = SCRIBE }
        :: consumer != 0 -> goto next
        fi;
        if
        :: d_step { owner == 0 -> owner = SCRIBE }
        :: owner != 0 -> unlock(SCRIBE); goto next
        fi;
        if
        :: !exists -> unlock(SCRIBE); goto next
        :: else
        fi;
        assert(user == 0);
        if
        :: version && ring != 0 -> d_step { on_file[session_id]++; ring = 0 }; state = 2
        :: else
        fi;
        if
        :: version && vacant && !last -> skip /* stays for now */
        :: d_step { assert(!version || ring == 0); exists = false }
        fi;
        unlock(SCRIBE)
      :: d_step { slot == RESERVED -> slot = FREE }
      :: else -> skip
      fi;
next:
      if
      :: last && !exists -> break
      :: else
      fi
    } unless { atomic { killed == SCRIBE -> killed = 0; unlock(SCRIBE) } }
  od;
  atomic {
    session = 0;
    do
    :: session < PROCESSES -> session++; assert(on_file[session] == logged[session])
    :: else -> break
    od
  }
}

init {
  atomic {
    byte i;
    for (i : 1 .. PROCESSES) { run Process(i) }
    run Killer();
    run Scribe()
  }
}
