"""The command as a whole: help, versions, exits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

import ganzzle.cli
from ganzzle import __version__
from ganzzle.cli.commands import COMMANDS, Command, load_command
from ganzzle.reading.pictures import write_picture
from ganzzle.solvers import SOLVERS


def run(*arguments: str, **options):
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ganzzle", *arguments], capture_output=True, text=True, check=False, **options
    )


def test_help_lists_every_command_and_imports_none():
    code = """if True:
        import atexit, sys
        atexit.register(lambda: print(*sys.modules))
        from ganzzle.cli import main
        main(["--help"])"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    text, modules = ran.stdout.rsplit("\n", 2)[0], ran.stdout.split("\n")[-2].split()
    assert "ganzzle.cli" in modules
    assert not {"numpy", "PIL", "torch", "numba"} & set(modules)
    for name in COMMANDS:
        assert name in text


def test_no_arguments_print_the_help(command):
    ran = command()
    assert ran.code == 0
    assert "solve" in ran.out


@pytest.mark.parametrize("group", ["data", "bench"])
def test_a_group_alone_prints_its_help(command, group):
    ran = command(group)
    assert f"Usage: ganzzle {group}" in ran.out
    assert ran.err == ""


def test_version(command):
    assert command("--version").out == f"ganzzle {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(command, name):
    ran = command(name, "--help")
    assert ran.code == 0
    assert f"Example: ganzzle {name}" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    "arguments",
    [["nothing"], ["solve"], ["solve", "x", "--colour"], ["shuffle", "x", "--grid"], ["evaluate", "--limit", "many"],
     ["solve", "x", "--seed", "-1"]],
)  # fmt: skip
def test_wrong_usage_is_one_line(command, arguments):
    ran = command(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("ganzzle: ")
    assert ran.err.count("\n") == 1
    assert "--help" in ran.err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_values_in_words_and_not_as_types(name):
    command = load_command(name)
    for each in (command, *getattr(command, "commands", {}).values()):
        for option in each.params:
            assert option.metavar is not None, option.name


def test_help_is_wrapped_to_the_terminal_only():
    for name in COMMANDS:
        command = load_command(name)
        for each in (command, *getattr(command, "commands", {}).values()):
            assert each.help
            assert "\n" not in each.help.replace("\n\n", "")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [(["solve", ""], "INPUT..."), (["solve", "x", "--out", ""], "--out"), (["solve", "x", "--json="], "--json"),
     (["evaluate", "--images", "x", "--images", "", "--grid", "2x2"], "--images"),
     (["data", "permutations", "x", "--out", ""], "--out"), (["bench", "paper", "--images", ""], "--images"),
     (["train", ""], "CONFIG")],
)  # fmt: skip
def test_a_name_that_is_empty_is_not_the_working_folder(command, arguments, name):
    ran = command(*arguments)
    assert ran.code == 2
    assert f"'{name}': it is empty" in ran.err
    assert ran.err.count("\n") == 1


def test_a_command_whose_extra_is_missing_says_how_to_install_it(command, monkeypatch, tmp_path):
    (tmp_path / "needs_more.py").write_text("import a_package_nobody_has\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(COMMANDS, "more", Command("needs_more:app", "More.", "ganzzle more", "web"))
    ran = command("more")
    assert ran.code == 2
    assert ran.err == (
        "ganzzle: 'ganzzle more' needs a_package_nobody_has, which is not installed; pip install 'ganzzle[web]'\n"
    )


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (KeyboardInterrupt(), 130, "stopped"),
        (MemoryError(), 2, "not enough memory"),
        (RuntimeError("gears"), 1, "GANZZLE_DEBUG=1"),
    ],
)
def test_no_error_shows_a_traceback(command, monkeypatch, error, code, says):
    names = {"error": error}
    # As if it stood in the package.
    exec(compile("def broken(): raise error", ganzzle.cli.__file__, "exec"), names)
    monkeypatch.setattr(ganzzle.cli, "broken", names["broken"], raising=False)
    monkeypatch.setitem(COMMANDS, "broken", Command("ganzzle.cli:broken", "Fails.", "ganzzle broken"))
    ran = command("broken")
    assert ran.code == code
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert ran.err.strip().count("\n") == 0


def test_a_closed_pipe_is_no_error():
    script = f"{sys.executable} -m ganzzle solvers --json - | head -c 1"
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert ran.stdout == "{"
    assert ran.stderr == ""


def test_an_interrupt_ends_quietly(tmp_path, draw):
    for k in range(3):
        write_picture(tmp_path / f"{k}.png", draw(60, 60, k))
    (tmp_path / "slow_solver.py").write_text(
        "import time\n"
        "from ganzzle.solvers import Solver\n"
        "class Slow(Solver):\n"
        "    def arrange(self, puzzle, seed):\n"
        "        print('ready', flush=True)\n"
        "        time.sleep(600)\n"
    )
    arguments = ["evaluate", "--images", str(tmp_path), "--grid", "2x2", "--solver", "slow_solver:Slow"]
    process = subprocess.Popen(
        [sys.executable, "-m", "ganzzle", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        # Background jobs of a shell ignore interrupts, and so would the command when the tests run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err.strip() == "ganzzle: stopped"


def test_python_m_ganzzle_is_the_command():
    ran = run("solvers", "--json", "-")
    names = [solver["name"] for solver in json.loads(ran.stdout)["solvers"]]
    assert "paikin-tal" in names
    assert ran.returncode == 0


def test_solvers_are_listed_for_people(command):
    ran = command("solvers")
    assert "paikin-tal" in ran.out
    assert "CVPR 2015" in ran.out
    assert ran.out.count("turned pieces") == sum(info.rotated for info in SOLVERS.values())


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix closes the streams")
@pytest.mark.parametrize(
    ("streams", "code", "says"),
    [(">&-", 0, ""), ("2>&-", 0, ""), (">&- 2>&-", 0, ""), (">/dev/full", 2, "cannot print: No space left")],
)
def test_closed_and_full_streams(streams, code, says):
    script = f"{sys.executable} -m ganzzle solvers --json - {streams}"
    ran = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert ran.returncode == code
    assert says in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_letter_that_cannot_be_printed_is_no_mistake(command, tmp_path, draw):
    photo = write_picture(tmp_path / "拼图.png", draw(64, 64))
    words = [sys.executable, "-m", "ganzzle", "shuffle", photo, "--grid", "2x2", "--out", tmp_path / "拼"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert "?: 4 pieces" in ran.stdout


def test_a_solver_of_ones_own_lies_in_the_working_folder(command, tmp_path, draw, monkeypatch):
    write_picture(tmp_path / "images" / "a.png", draw(64, 64))
    (tmp_path / "lazy_solver.py").write_text(
        "from ganzzle.solvers import Solver\n"
        "class Lazy(Solver):\n"
        "    def arrange(self, puzzle, seed):\n"
        "        raise ValueError('too lazy')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    ran = command("evaluate", "--images", "images", "--grid", "2x2", "--solver", "lazy_solver:Lazy")
    assert ran.code == 2
    assert "lazy_solver.py, line 4: ValueError('too lazy')" in ran.err
    assert "mistake of the program" not in ran.err
