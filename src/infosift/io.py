"""Atomic writing of files: to a temporary file in the same folder, which then replaces the one before."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from errno import EACCES
from os import PathLike
from pathlib import Path
from secrets import token_hex

_NAME_LENGTH = 40


def write_file(path: str | PathLike[str], content: bytes) -> None:
    """Write a file as a whole, or leave the one before.

    A link stays one, and an existing file keeps its permissions. Devices, pipes and standard output are written
    to directly, and so is a file in a folder where no other file may be created.
    """
    path = Path(path)
    try:
        before = path.stat() if path.exists() else None
        if before is not None and (stream := _stream_of(before)) is not None:
            _write_to_stream(stream, content)
        elif before is not None and not stat.S_ISREG(before.st_mode):
            path.write_bytes(content)
        else:
            _replace_file(Path(os.path.realpath(path)), content, before)
    except OSError as error:  # which names the temporary file, or none
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _stream_of(state: os.stat_result) -> int | None:
    """Return the number of the standard stream that is the file, as for /dev/stdout; None if neither is."""
    for stream in (1, 2):
        with suppress(OSError):
            if os.path.samestat(state, os.fstat(stream)):
                return stream
    return None


def _write_to_stream(stream: int, content: bytes) -> None:
    for printed in (sys.stdout, sys.stderr):
        if printed is not None:
            printed.flush()
    with os.fdopen(os.dup(stream), "wb") as file:
        file.write(content)


def _replace_file(path: Path, content: bytes, before: os.stat_result | None) -> None:
    # So many letters of the name that the rest fits too in any file system.
    temporary = path.with_name(f".{path.name[:_NAME_LENGTH]}.{token_hex(8)}.part")
    if before is not None and not os.access(path, os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(path))
    try:
        number = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
    except PermissionError:
        if before is None:
            raise
        path.write_bytes(content)
        return
    try:
        with os.fdopen(number, "wb") as file:
            if before is not None:
                _copy_permissions(before, temporary)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _copy_permissions(like: os.stat_result, path: Path) -> None:
    """Give a file the permissions of another and, as far as allowed, its owner and group."""
    if hasattr(os, "chown"):
        for owner, group in ((like.st_uid, -1), (-1, like.st_gid)):
            with suppress(PermissionError):
                os.chown(path, owner, group)
    path.chmod(stat.S_IMODE(like.st_mode))
