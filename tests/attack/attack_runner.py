"""A process that has everything imported, and forks itself for every case it is asked to run, under limits.

Reads lines of JSON on stdin, {"arguments", "folder", "seconds", "bytes"}, and answers each with {"code", "out", "err",
"seconds"}; the code is "time" where a case had to be killed, and "signal" where it died of one.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def prepare() -> None:
    """Import what the commands import, and compile what they compile, once for all cases."""
    import numpy as np
    from PIL import Image

    from ganzzle.cli import main

    with tempfile.TemporaryDirectory() as folder:
        small = np.random.default_rng(0).integers(0, 256, (60, 60, 3), np.uint8)
        Image.fromarray(small).save(f"{folder}/a.png")
        Path(f"{folder}/a.toml").write_text(
            "[task]\nkind = 'hybrid'\n[data]\nsets = [{name = 'a', source = '/no'}]\n"
        )
        for arguments in (
            ["shuffle", f"{folder}/a.png", "--grid", "3x3", "--out", f"{folder}/p"],
            ["solve", f"{folder}/p", "--solver", "paikin-tal", "--out", f"{folder}/o.png"],
            ["solve", f"{folder}/p", "--out", f"{folder}/o.png", "--trace", f"{folder}/o.gif", "--force"],
            ["solve", f"{folder}/a.png", "--grid", "3x3", "--json", "-"],
            ["evaluate", "--images", f"{folder}/a.png", "--grid", "2x2", "--solver", "paikin-tal"],
            ["data", "permutations", f"{folder}/a.png", "--out", f"{folder}/a.csv"],
            ["data", "prepare", f"{folder}/p", "--out", f"{folder}/s"],
            ["data", "card", f"{folder}/a.png"],
            ["train", f"{folder}/a.toml", "--out", f"{folder}/r"],
            ["bench", "piles", "--kind", "rain"],
            ["serve", "--port", "-1"],
        ):
            with (
                contextlib.suppress(SystemExit),
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                main(arguments)


def run(case: dict[str, Any]) -> dict[str, Any]:
    """Fork, run one command in the child, and wait for it, but not for ever."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        child = os.fork()
        if child == 0:
            _be_the_child(case, out.fileno(), err.fileno())
        code: int | str = _wait(child, start + case["seconds"])
        taken = time.monotonic() - start
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(100_000).decode(errors="backslashreplace"))
    return {"code": code, "out": texts[0], "err": texts[1], "seconds": taken}


def _be_the_child(case: dict[str, Any], out: int, err: int) -> None:
    from ganzzle.cli import main

    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.chdir(case["folder"])
    used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()  # data and stack
    resource.setrlimit(resource.RLIMIT_DATA, (used + case["bytes"],) * 2)
    code = 1
    try:
        main([os.fsdecode(argument) for argument in case["arguments"]])
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _wait(child: int, end: float) -> int | str:
    while True:
        there, status = os.waitpid(child, os.WNOHANG)
        if there:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else f"signal {os.WTERMSIG(status)}"
        if time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "time"
        time.sleep(0.005)


if __name__ == "__main__":
    prepare()
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
