"""What tests of the extension ask of a cluster's log."""

import re


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in what))


def statements(cluster, nested=False, **context):
    """Records of statements, in order of time."""
    found = cluster.records("--site", "statement_record.c", *([] if nested else ["--where", "nesting == 0"]))
    for name, value in context.items():
        found = [r for r in found if r["args"].get(name) == value]
    return found


def commands(records):
    return [r["args"]["command"] for r in records]


def messages(cluster):
    return cluster.records("--site", "server_log.c")


def check_complete(cluster):
    verdict = cluster.verify()
    check(verdict.startswith("complete") and "0 lost" in verdict, verdict)


def lost(cluster):
    """How many records the log says are missing."""
    return sum(int(n.replace(",", "")) for n in re.findall(r"([0-9,]+) lost", cluster.verify()))


def message_text(args):
    """Of a server's message, put together again where its values are columns."""
    if "primary_message" in args:
        return args["primary_message"]
    text = args["message_id"]
    for name in (name for name in args if name[:1] == "m" and name[1:].isdigit()):  # in the order of the message
        text = re.sub(r"(%(ld\.%03d|[0-9.]*l*[a-zA-Z]))+", lambda _: str(args[name]), text, count=1)
    return text
