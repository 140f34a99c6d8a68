#!/usr/bin/env python3
"""Tests of the page of `steno web`.

    run_page.py SOURCE WORK assets            builds web/ anew and compares it with web/dist, byte by byte; checks the types
    run_page.py SOURCE WORK units             its parts that compute, by node's test runner
    run_page.py SOURCE WORK page NAME=PATH…   all of it in Chromium, against `steno web`

Exits with 77 and one line where Node, its packages (scripts/bootstrap puts them into build/web) or Chromium are missing.
"""
import filecmp
import re
import shutil
import subprocess
import sys
from pathlib import Path

SKIP = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def modules_of(source, node):
    """The folder with the packages that the lock file names."""
    for folder in (source / "web", source / "build/web"):
        lock = folder / "package-lock.json"
        if (folder / "node_modules/esbuild").exists() and lock.exists() and filecmp.cmp(lock, source / "web/package-lock.json", False):
            works = subprocess.run([node, folder / "node_modules/esbuild/bin/esbuild", "--version"], capture_output=True)
            if works.returncode == 0:
                return folder / "node_modules"
    skip("the packages of web/package-lock.json are not installed (scripts/bootstrap)")


def tree(source, modules, work):
    """A copy of web/ with these packages: nothing is written into the source tree, and no path of it gets into the page."""
    shutil.rmtree(work, ignore_errors=True)
    copy = work / "web"
    copy.mkdir(parents=True)
    shutil.copytree(source / "web/src", copy / "src")
    for name in ("build", "package.json", "tsconfig.json"):
        shutil.copy(source / "web" / name, copy)
    (copy / "node_modules").symlink_to(modules)
    return copy


def assets(source, work, node, modules):
    copy = tree(source, modules, work)
    subprocess.run([node, copy / "build"], check=True)
    names = sorted(p.name for p in (source / "web/dist").iterdir())
    built = sorted(p.name for p in (copy / "dist").iterdir())
    assert names == built, f"web/dist has {names}, a build makes {built}"
    for name in names:
        assert (source / "web/dist" / name).read_bytes() == (copy / "dist" / name).read_bytes(), \
            f"web/dist/{name} is not what web/src makes: run web/build"
    # The page asks no other server, and has nothing that its Content-Security-Policy refuses.
    html = (source / "web/dist/index.html").read_text()
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\son\w+=|style=|https?:|data:", html), "index.html has something inline or of others"
    css = (source / "web/dist/app.css").read_text()
    assert not re.search(r"url\(|@import|https?:|data:", css), "app.css asks for other files"
    script = (source / "web/dist/app.js").read_text()
    for word in ("innerHTML=", "dangerouslySetInnerHTML:", "eval(", "new Function(", "document.write", "insertAdjacentHTML"):
        uses = [m.start() for m in re.finditer(re.escape(word), script)]
        # Preact itself can set innerHTML, if a component asks for it by name; none does.
        assert word == "innerHTML=" or not uses, f"app.js uses {word}"
    for path in (source / "web/src").glob("*.ts*"):
        assert "innerHTML" not in path.read_text().replace("dangerouslySetInnerHTML", "innerHTML"), f"{path.name} makes markup of texts"
    types = subprocess.run([node, modules / "typescript/bin/tsc", "--noEmit", "-p", copy], capture_output=True, text=True)
    assert types.returncode == 0, types.stdout + types.stderr


def units(source, work, node, modules):
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    bundle = work / "unit_test.mjs"
    # Packages are found through NODE_PATH: there is no node_modules above web/src.
    subprocess.run([node, modules / "esbuild/bin/esbuild", source / "test/page/unit_test.ts", "--bundle", "--platform=node", "--format=esm",
                    "--jsx=automatic", "--jsx-import-source=preact", "--log-level=warning", f"--outfile={bundle}"],
                   check=True, env={"NODE_PATH": str(modules), "PATH": "/usr/bin:/bin"}, cwd=source)
    subprocess.run([node, "--test", bundle], check=True)


def main():
    source, work, part = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3]
    work = work.resolve()
    node = shutil.which("node")
    if not node:
        skip("there is no node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout.strip()
    if int(re.match(r"v(\d+)", version)[1]) < 20:
        skip(f"node is {version}, and 20 is needed")
    modules = modules_of(source, node)
    if part == "assets":
        assets(source, work, node, modules)
    elif part == "units":
        units(source, work, node, modules)
    elif part == "page":
        browser = next((b for b in map(shutil.which, ("chromium", "google-chrome", "chrome")) if b), None)
        if not browser:
            skip("there is no chromium (scripts/bootstrap --ci)")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        sys.exit(subprocess.run([node, source / "test/page/page_test.mjs", f"modules={modules}", f"browser={browser}", f"source={source}",
                                 f"work={work}", *sys.argv[4:]]).returncode)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
