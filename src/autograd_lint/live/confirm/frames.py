"""Messages between processes: a kind, a length, so many bytes; nothing is read beyond a limit."""

from __future__ import annotations

import os
import select
import struct
import time
from dataclasses import dataclass
from enum import IntEnum

_HEAD = struct.Struct(">BI")
LONGEST = 32 << 20  # bytes; sources are shorter, and outcomes much shorter


class Kind(IntEnum):
    """What a message is. The first three go to the process that runs witnesses, the others back."""

    FILE = 1  # a path, NUL, the bytes of a file that witnesses may read
    JOB = 2
    SECRET = 3  # what the answer is to begin with
    READY = 4  # what the process has, before the first job
    DONE = 5  # the witness has ended, and everything it started
    ANSWER = 6  # the secret and the outcome


@dataclass(frozen=True, slots=True)
class Frame:
    """One message."""

    kind: Kind
    body: bytes = b""


class Broken(Exception):
    """What came is no message, or came too late, or the other side has gone."""


def write(descriptor: int, frame: Frame) -> None:
    """Send a message. Raises Broken where nobody reads it."""
    data = memoryview(_HEAD.pack(frame.kind, len(frame.body)) + frame.body)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError as error:
        raise Broken(str(error)) from None


def read(descriptor: int, seconds: float | None = None, longest: int = LONGEST) -> Frame:
    """The next message, waited for so long. Raises Broken."""
    deadline = None if seconds is None else time.monotonic() + seconds
    kind, length = _HEAD.unpack(_exactly(descriptor, _HEAD.size, deadline))
    if kind not in list(Kind) or length > longest:
        raise Broken("not a message")
    return Frame(Kind(kind), _exactly(descriptor, length, deadline))


def _exactly(descriptor: int, count: int, deadline: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        wait = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([descriptor], [], [], wait)[0]:
            raise Broken("no answer in time")
        part = os.read(descriptor, min(count - len(parts), 1 << 16))
        if not part:
            raise Broken("the other side has gone")
        parts += part
    return bytes(parts)
