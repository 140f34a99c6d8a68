"""What is in the log where there is no room: rings that are full, memory that is none."""

import os
import signal

from cluster import Cluster
from log_checks import check, lost, message_text, messages, statements


def test_dropped(servers):
    """A scribe that stands still, steno.when_full = drop: the server runs, records that find no room are counted, and the log says how many."""
    with servers.made({"steno.when_full": "drop", "steno.ring_size": "'64kB'"}) as c:
        c.start()
        c.create_extension()
        Cluster.wait_for(c.scribes, "scribe")
        c.sql("select 1 as counted;")  # its text is logged now
        os.kill(c.scribes()[0], signal.SIGSTOP)
        try:
            c.sql("select 1 as counted;" * 3000)
        finally:
            os.kill(c.scribes()[0], signal.SIGCONT)
        # The records that the ring had room for are there, and the statements after them are recorded again.
        Cluster.wait_for(lambda: lost(c) > 0, "loss")
        c.sql("select 1 as counted;" * 10)
        c.stop()
        there = len([r for r in statements(c) if r["args"]["text"] == "select 1 as counted"])
        check(there + lost(c) == 3011 and lost(c) < 3000, there, "records and", lost(c), "lost ones of 3011 statements")
        c.start()
        check(c.sql("select sum(records) from steno.verify();") == [str(lost(c))], "steno.verify()")


def test_out_of_memory(servers):
    """A backend that has no memory: its statement's record has the error, the server's message is there, and it goes on."""
    with servers.started() as c:
        script = c.popen(c.bin + "/psql", "-X", "-A", "-t", "-q", stdin=-1, stdout=-1, stderr=-2)

        def ask(text):
            script.stdin.write(text + "\n\\echo done\n")
            script.stdin.flush()
            lines = []
            for line in iter(script.stdout.readline, "done\n"):
                check(line, "psql has ended")
                lines.append(line.rstrip("\n"))
            return lines

        pid = int(ask("select pg_backend_pid();")[0])
        with open("/proc/%d/statm" % pid) as text:
            size = int(text.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        c.run("prlimit", "--pid", str(pid), "--as=%d" % (size + (64 << 20)))
        said = ask("select length(string_agg(repeat('x', 1000000), '')) from generate_series(1, 900);")
        check(any("out of memory" in line for line in said), said)
        # Formats of messages that come for the first time, and one of them in a function that catches the error.
        check(ask("select 'x'::int;")[0].startswith("ERROR"), "an error of another kind")
        ask("do $$ begin perform string_agg(repeat('x', 1000000), '') from generate_series(1, 900); exception when out_of_memory then raise warning 'none of %', 'it'; end $$;")
        check(ask("select 6 * 7;") == ["42"], "it does not go on")
        script.stdin.close()
        script.wait(60)
        states = [(r["args"]["command"], r["args"]["sqlstate"]) for r in statements(c)]
        check(states == [("SELECT", "00000"), ("SELECT", "53200"), ("SELECT", "22P02"), ("DO", "00000"), ("SELECT", "00000")], states)
        texts = [message_text(m["args"]) for m in messages(c) if m["args"]["sqlstate"] in ("53200", "22P02", "01000")]
        check(texts == ["out of memory", 'invalid input syntax for type integer: "x"', "none of it"], texts)


def test_errors_inside_errors(servers):
    """Errors while errors are handled: each message is logged, with what it happened in, and each statement once."""
    with servers.started({"max_stack_depth": "'100kB'", "max_prepared_transactions": 2}) as c:
        def run(text):
            seen = len(statements(c, nested=True)), len(messages(c))
            c.sql(text, check=False)
            return ([(r["args"]["command"], r["args"]["sqlstate"], r["args"]["nesting"]) for r in statements(c, nested=True)[seen[0]:]],
                    [(m["args"]["sqlstate"], message_text(m["args"])) for m in messages(c)[seen[1]:]])

        c.sql("select 1;")
        # One in the handler of another.
        ran, said = run("do $$ begin begin perform 1/0; exception when division_by_zero then raise 'second %', 2; end; end $$;")
        check(ran == [("DO", "P0001", 0)] and said == [("P0001", "second 2")], ran, said)
        ran, said = run("set steno.log_nested = on; do $$ begin begin perform 1/0; exception when division_by_zero then perform sqrt(-1); end; end $$;")
        check(ran[1:] == [("SELECT", "22012", 1), ("SELECT", "2201F", 1), ("DO", "2201F", 0)] and [state for state, _ in said] == ["2201F"], ran, said)
        # One that fails in planning, while another is open.
        ran, said = run("set steno.log_nested = on; begin; declare k cursor for select generate_series(1, 9); fetch 1 from k; select 1/0; rollback;")
        check(("SELECT", "22012", 0) in ran and [state for state, _ in said] == ["22012"], ran, said)
        # Deep within functions: the error comes where there is no stack to do much.
        c.sql("create function deep(n int) returns int language plpgsql as $$ begin return deep(n + 1); exception when others then raise 'at %', n; end $$;")
        ran, said = run("select deep(1);")
        check(ran == [("SELECT", "P0001", 0)] and said == [("P0001", "at 1")], ran, said)
        ran, said = run("set steno.log_nested = on; select deep(1);")
        depths = [nesting for command, state, nesting in ran[1:]]
        check(ran[-1] == ("SELECT", "P0001", 0) and depths == sorted(depths, reverse=True) and len(depths) == depths[0] + 1, ran[:3], ran[-3:])
        # After an error the transaction takes nothing but its end.
        ran, said = run("begin; select 1/0; select 1; rollback;")
        check(ran == [("BEGIN", "00000", 0), ("SELECT", "22012", 0), ("SELECT", "25P02", 0), ("ROLLBACK", "00000", 0)] and
              [state for state, _ in said] == ["22012", "25P02"], ran, said)
        # A constraint that fails when the transaction ends.
        c.sql("create table late(i int unique deferrable initially deferred);")
        ran, said = run("begin; insert into late values (1), (1); commit;")
        check(ran == [("BEGIN", "00000", 0), ("INSERT", "00000", 0), ("COMMIT", "23505", 0)], ran, said)
        check([state for state, _ in said] == ["23505"], said)
        # COMMIT of a failed transaction is reported as ROLLBACK, which is no error.
        ran, said = run("begin; select 1/0; commit; select 1;")
        check([one[:2] for one in ran] == [("BEGIN", "00000"), ("SELECT", "22012"), ("ROLLBACK", "00000"), ("SELECT", "00000")], ran)
        ran, said = run("begin; insert into late values (7); prepare transaction 'one'; commit prepared 'one'; begin; insert into late values (7); prepare transaction 'two';")
        check([one[:2] for one in ran] == [("BEGIN", "00000"), ("INSERT", "00000"), ("PREPARE TRANSACTION", "00000"), ("COMMIT PREPARED", "00000"),
                                           ("BEGIN", "00000"), ("INSERT", "00000"), ("PREPARE TRANSACTION", "23505")], ran)
        check(c.sql("select 1;") == ["1"], "the server is gone")
