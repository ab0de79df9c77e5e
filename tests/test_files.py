"""Files are written whole or not at all, and only files are ever replaced."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from ganzzle.errors import PictureError
from ganzzle.files import check_free, write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of Unix")


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    check_free(pipe)
    write_whole(pipe, lambda file: file.write(b"all of it"))
    reader.join(10)
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
