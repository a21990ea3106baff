"""Files are whole or as they were, whatever becomes of the writing."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from infosift.io import write_file

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files or limits")


def test_a_file_is_written_and_written_again(tmp_path):
    path = tmp_path / ("a" * 250)
    for content in (b"first", b"second\n"):
        write_file(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_what_does_not_fit_leaves_what_was_there(tmp_path):
    # As on a full disk, no file can grow beyond some size.
    path, new = tmp_path / "old", tmp_path / "new"
    path.write_bytes(b"before")
    code = f"""
import resource
from infosift.io import write_file
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for path in ({str(path)!r}, {str(new)!r}):
    try:
        write_file(path, b"x" * 5000)
    except OSError as error:
        print(error.filename, error.strerror)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert said.splitlines() == [f"{path} File too large", f"{new} File too large"]
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_an_interrupt_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def interrupt(number):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, b"after")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


@POSIX
@pytest.mark.parametrize("there_is_one", [True, False])
def test_a_link_stays_a_link(tmp_path, there_is_one):
    (tmp_path / "folder").mkdir()
    path, link = tmp_path / "folder" / "file", tmp_path / "link"
    link.symlink_to(path)
    if there_is_one:
        path.write_bytes(b"before")
    write_file(link, b"after")
    assert link.is_symlink()
    assert path.read_bytes() == b"after"


@POSIX
def test_permissions_are_as_always(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_bytes(b"")
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        write_file(new, b"")
        write_file(old, b"")
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (new, old)] == [0o640, 0o640]
    old.chmod(0o604)
    write_file(old, b"")
    assert stat.S_IMODE(old.stat().st_mode) == 0o604


@POSIX
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_may_not_be_written_is_not(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_file(path, b"after")
    path.chmod(0o644)
    tmp_path.chmod(0o555)
    try:
        write_file(path, b"after")
        with pytest.raises(PermissionError):
            write_file(tmp_path / "new", b"")
    finally:
        tmp_path.chmod(0o755)
    assert path.read_bytes() == b"after"


@POSIX
def test_pipes_and_devices_are_written_to(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"through")
    reader.join()
    assert read == [b"through"]
    write_file("/dev/null", b"away")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert not Path("/dev/null").is_file()
    if Path("/dev/full").exists():
        with pytest.raises(OSError, match="No space left on device"):
            write_file("/dev/full", b"x")


@POSIX
def test_standard_output_goes_on_where_it_is(tmp_path):
    out = tmp_path / "out"
    code = """
from infosift.io import write_file
print("before")
write_file("/dev/stdout", b"between\\n")
print("after")
"""
    with out.open("wb") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert out.read_text() == "before\nbetween\nafter\n"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert said == "before\nbetween\nafter\n"


def test_a_failure_names_the_file(tmp_path):
    path = tmp_path / "none" / "file"
    with pytest.raises(FileNotFoundError) as caught:
        write_file(path, b"")
    assert caught.value.filename == str(path)
    with pytest.raises(OSError, match=r"directory|Permission"):
        write_file(tmp_path, b"")
