"""The package of Python for scripts that measure it, without an installation."""
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path


def unpack_wheel(folder: Path, wheel: Path | None) -> int:
    """Unpacks the wheel, so that this process and its children import it. `wheel`: a file, a folder that has one, or None:
    the one that scripts/build_wheel makes for this Python. Returns its size in bytes."""
    if wheel is None:
        script = Path(__file__).resolve().parent / "build_wheel"
        made = subprocess.run([script, sys.executable], check=True, stdout=subprocess.PIPE, text=True).stdout
        wheel = script.parent.parent / re.match(r"(\S+): ", made)[1]
    elif wheel.is_dir():
        [wheel] = wheel.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    sys.path.insert(0, str(folder / "site"))
    os.environ["PYTHONPATH"] = str(folder / "site")
    return wheel.stat().st_size
