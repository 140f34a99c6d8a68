/* A model of ring.md §1 and of step 4 of §5 for spin: how staging is born and removed while others look for orphans.
   `scripts/check_model` runs it; change it with the protocol.

   An owner makes its directory, and may crash between any two steps. Meanwhile RECOVERERS look for orphans, again and
   again; they too may crash. A directory has a name that is never used twice. RECOVERERS go by its mark (§1.1); only a
   directory whose owner died before it could mark it is left to those who list everything. Each M_... is a mistake that
   must be found. */

#ifndef RECOVERERS
#define RECOVERERS 2
#endif
#ifndef RECOVERY_CRASHES
#define RECOVERY_CRASHES 2
#endif
#define NAMES 3 /* an owner that is disturbed begins anew under the next one */

#define OWNER 1

/* By name, from 1: what the file system has. The inode of `session` is known by the directory it was made in. */
bool directory[NAMES + 1], session[NAMES + 1], dictionary[NAMES + 1];
byte version[NAMES + 1], lock[NAMES + 1]; /* of the inode, even when it has no name any more */
bool removing[NAMES + 1];                 /* its state is 3 */
bool mark[NAMES + 1];                     /* leads to the directory */
byte unmarked;                            /* an empty directory that no mark leads to yet */

bool dying, owner_dead;
byte home;            /* where the owner lives: it has told itself that all is well */
byte killed, kills, done;

inline unlock(who) {
  for (i : 1 .. NAMES) {
    if
    :: lock[i] == who -> lock[i] = 0
    :: else
    fi
  };
  i = 0
}

proctype Owner() {
  byte name, i;
  {
    do
    :: name < NAMES ->
      name++;
#ifdef M_MARK_FIRST
      mark[name] = true;
      directory[name] = true;
#else
      d_step { directory[name] = true; unmarked = name };
      d_step { mark[name] = true; unmarked = 0 };
#endif
      if
      :: d_step { directory[name] -> session[name] = true }
      :: atomic { !directory[name] -> goto again } /* ENOENT: it looked as if it were being removed */
      fi;
#ifdef M_LOCK_RESULT_IGNORED
      d_step { lock[name] = (lock[name] == 0 -> OWNER : lock[name]) };
#else
      d_step { lock[name] == 0 -> lock[name] = OWNER }; /* waits: somebody else may be having a look */
#endif
#ifndef M_LINK_NOT_CHECKED
      if
      :: session[name]
      :: d_step { !session[name] -> lock[name] = 0 }; goto again /* it was removed before we had the lock */
      fi;
#endif
      dictionary[name] = directory[name];
      version[name] = 2;
      home = name;
      assert(session[home] && directory[home] && dictionary[home]);
      false; /* lives, until it dies */
again:
      skip
    :: else -> false /* has given up, and keeps its records elsewhere; lives, until it dies */
    od
  } unless { atomic { dying -> name = 0; unlock(OWNER); owner_dead = true } }
}

proctype Death() { dying = true }

proctype Killer() {
end:
  do
  :: atomic { kills < RECOVERY_CRASHES && !killed -> killed = 2; kills++ }
  :: atomic { kills < RECOVERY_CRASHES && !killed -> killed = 1 + RECOVERERS; kills++ }
  od
}

inline remove_directory() {
  d_step {
    if
    :: !session[name] && !dictionary[name] -> directory[name] = false
    :: else /* ENOTEMPTY */
    fi
  }
}

/* One look at all directories. */
proctype Recoverer(byte me) {
  byte name, i, looks;
  bool last, remains;
  do
  :: looks < 2 ->
    {
      d_step { last = owner_dead; name = 0 };
      do
      :: name < NAMES ->
        name++;
        if
        :: !mark[name] -> skip
        :: mark[name] && !directory[name] -> mark[name] = false /* leads nowhere */
        :: mark[name] && directory[name] && !session[name] ->
#ifdef M_LISTING_REMOVED
          session[name] = false;
          dictionary[name] = false;
#endif
          remains = dictionary[name]; /* lists it */
          if
          :: d_step { remains && !session[name] -> remains = false }; dictionary[name] = false
          :: !remains || session[name]
          fi;
          remove_directory();
          if
          :: d_step { !directory[name] -> mark[name] = false }
          :: else
          fi
        :: mark[name] && directory[name] && session[name] -> /* has it open */
          if
          :: d_step { lock[name] == 0 -> lock[name] = me }
          :: atomic { lock[name] != 0 -> goto next } /* lives, or somebody else is at it */
          fi;
          if
          :: version[name] != 0 && !dictionary[name] && !removing[name] -> lock[name] = 0; goto next /* damaged: stays */
          :: else
          fi;
          assert(owner_dead || home != name); /* else: it took staging from a live process */
#ifndef M_REMOVAL_NOT_MARKED
          removing[name] = true;
#endif
          dictionary[name] = false;
#ifdef M_MARK_REMOVED_FIRST
          mark[name] = false;
#endif
          session[name] = false;
          remove_directory();
          if
          :: d_step { !directory[name] -> mark[name] = false }
          :: else
          fi;
          lock[name] = 0
        fi;
next:
        skip
      :: else -> break
      od;
      if
      :: last -> looks = 2
      :: !last -> owner_dead /* one more look, after the death */
      fi
    } unless { atomic { killed == me -> killed = 0; unlock(me) } }
  :: else -> break
  od;
  atomic {
    done++;
    if
    :: done == RECOVERERS ->
      for (i : 1 .. NAMES) {
        assert(!mark[i]);                                        /* else: something is left that nobody removes */
        assert(!session[i] && !dictionary[i]);
        assert(!directory[i] || i == unmarked)
      }
    :: else
    fi
  }
}

init {
  atomic {
    byte i;
    run Owner();
    run Death();
    run Killer();
    for (i : 1 .. RECOVERERS) { run Recoverer(1 + i) }
  }
}
