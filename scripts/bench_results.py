"""Results of the benchmarks that are scripts, as scripts/render_bench reads them."""
import json
import subprocess
from pathlib import Path


def bar(metric, value, limit, at_least=False) -> dict:
    return {"metric": metric, "value": value, "limit": limit, "ok": value >= limit if at_least else value <= limit}


def write_suites(out: Path, suites: list, **more):
    """With the machine they are of, and what else is to be said of all."""
    fingerprint = subprocess.run([str(Path(__file__).resolve().parent / "machine_fingerprint")], check=True, capture_output=True, text=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"machine": json.loads(fingerprint.stdout), **more, "suites": suites}, indent=1) + "\n")
