"""Files are written whole or not at all, and only files are ever replaced."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from ganzzle.errors import PictureError
from ganzzle.files import check_free, same_place, write_whole
from ganzzle.puzzle import Puzzle
from ganzzle.reading.pictures import read_picture, write_picture

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of Unix")


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    check_free(pipe)
    write_whole(pipe, lambda file: file.write(b"all of it"))
    reader.join(60)
    assert read == [b"all of it"]
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_is_written_through(tmp_path):
    link, there = tmp_path / "link", tmp_path / "folder" / "there"
    link.symlink_to(there)
    write_whole(link, lambda file: file.write(b"one"))  # what it points to is not there yet
    assert there.read_bytes() == b"one"
    with pytest.raises(PictureError, match="link exists already"):
        write_whole(link, lambda file: file.write(b"two"))
    write_whole(link, lambda file: file.write(b"two"), force=True)
    assert there.read_bytes() == b"two"
    assert link.is_symlink()


def test_a_device_that_is_full_says_so():
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with pytest.raises(PictureError, match="/dev/full cannot be written: No space left"):
        write_whole("/dev/full", lambda file: file.write(b"1"), force=True)


def test_an_output_of_this_process_is_written_to_also_where_it_goes_to_a_file(tmp_path):
    script = (
        "from ganzzle.files import write_whole; print('before', flush=True); "
        "write_whole('/dev/stdout', lambda file: file.write(b'between\\n')); print('after')"
    )
    with open(tmp_path / "out.txt", "a") as out:
        subprocess.run([sys.executable, "-c", script], stdout=out, check=True)
    assert (tmp_path / "out.txt").read_text() == "before\nbetween\nafter\n"


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"], ids=["too long", "no path"])
def test_what_can_be_no_path_is_refused_in_words(tmp_path, draw, name):
    path = f"{tmp_path}/{name}"
    for use in (
        lambda: write_picture(path + ".png", draw(20, 20)),
        lambda: Puzzle.from_picture(path + ".png", 2),
        lambda: Puzzle.from_folder(path),
        lambda: read_picture(path + ".png"),
    ):
        with pytest.raises(
            PictureError, match=r"cannot be (read|written): |does not exist|is no name that a file can have"
        ):
            use()


def test_one_place_has_many_names(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    assert same_place(tmp_path / "a.png", tmp_path / "link" / ".." / tmp_path.name / "a.png")
    assert not same_place(tmp_path / "a.png", tmp_path / "b.png")
