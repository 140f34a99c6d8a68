"""Runs the examples of docs/python.md and docs/sql.md in order, as a reader would type them."""
import doctest
import os
import re
import subprocess
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["python.md", "sql.md"])
def test_page(page, tmp_path, monkeypatch):
    subprocess.run([Path(os.environ["STENO_PROGRAMS"], "requests")], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{os.environ['STENO_PROGRAMS']}:{os.environ['PATH']}")  # for log.follow()
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```$", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE))
    test = doctest.DocTestParser().get_doctest(examples, {}, page, str(DOCS / page), 0)
    assert len(test.examples) > 6
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.failures == 0
