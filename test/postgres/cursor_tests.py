"""Many open cursors."""

from log_checks import check, statements


def test_many_cursors(servers):
    """With each cursor's query logged a commit that closes thousands takes at most twice as long."""
    with servers.started() as c:
        took = {}
        for nested in ("off", "on") * 10:
            if len(took.get("on", [])) >= 3 and nested == "off" and min(took["on"]) <= 2 * min(took["off"]):
                break
            c.sql("set steno.log_nested = %s; begin; do $$ begin for i in 1..4000 loop execute format('declare c%%s cursor for select 1', i);"
                  "execute format('fetch 1 from c%%s', i); end loop; end $$; commit;" % nested)
            commit = [r for r in statements(c) if r["args"]["command"] == "COMMIT"][-1]
            took.setdefault(nested, []).append(commit["args"]["duration"])
        check(min(took["on"]) <= 2 * min(took["off"]), took)
        selects = [r for r in statements(c, nested=True) if r["args"]["command"] == "SELECT" and r["args"]["nesting"] > 0]
        check(len(selects) == len(took["on"]) * 4000 and all(r["args"]["rows"] == 1 for r in selects), len(selects))
