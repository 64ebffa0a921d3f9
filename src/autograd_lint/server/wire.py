"""The wire to the editor: what comes that no editor sends is answered, and the server lives on."""

import os
import re
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import RPCMessage

_MOST_DIGITS = 8  # of the length of a message, in bytes: below 100 MB
_LONGEST_HEADER = 8192
_LENGTH = re.compile(rb"Content-Length:\s*(?P<length>[-+\w.]*)\s*", re.IGNORECASE)
_PAUSE = 2  # seconds between looks at the editor's process
_REFUSED = b"X-Refused: yes\r\n"  # a header that nobody looks at


class Protocol(LanguageServerProtocol):
    """Answers what is asked after `shutdown`, as the protocol wants it."""

    def handle_message(self, message: RPCMessage) -> None:
        """Handle a message, or refuse it."""
        number = getattr(message, "id", None)
        method = getattr(message, "method", None)
        if self._shutdown and number is not None and method is not None:
            self._send_response(number, error=_error("the server is shutting down"))
            return
        super().handle_message(message)

    def refuse(self, why: str) -> None:
        """Answer a message of which not even the number is known."""
        error = {"code": types.ErrorCodes.InvalidRequest, "message": why}
        self._send_data({"jsonrpc": "2.0", "id": None, "error": error})


def _error(why: str) -> types.ResponseError:
    return types.ResponseError(types.ErrorCodes.InvalidRequest, why)


class Input:
    """Standard input, from which messages without a sensible length are not read.

    `refuse` is told why, in the thread that reads.
    """

    def __init__(self, stream: BinaryIO, refuse: Callable[[str], object]) -> None:
        self._stream = stream
        self._refuse = refuse

    def readline(self) -> bytes:
        """The next header."""
        line = self._stream.readline(_LONGEST_HEADER)
        found = _LENGTH.fullmatch(line)
        if found is None or _is_sensible(found["length"]):
            return line
        self._refuse(f"no message has a length of {found['length'][:40].decode('latin-1')}")
        return _REFUSED

    def read(self, count: int) -> bytes:
        """The body of a message."""
        return self._stream.read(count)


def _is_sensible(length: bytes) -> bool:
    return length.isdigit() and len(length) <= _MOST_DIGITS and int(length) > 0


def end_with(process: int, end: Callable[[], object]) -> None:
    """Call `end` once the process with this number is gone, whoever holds our standard input."""
    if sys.platform == "win32" or process <= 0:
        return

    def watch() -> None:
        while _is_there(process):
            time.sleep(_PAUSE)
        end()

    threading.Thread(target=watch, name="editor", daemon=True).start()


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return True
    return state != "Z"  # it has ended, and only nobody has asked how
