"""From bytes to a source: the gate, the encoding, and the finding for what cannot be read."""

import io
import json
import re
import tokenize

from autograd_lint import disk
from autograd_lint.configuration.selection import PARSE_ERROR
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.project.cells import cell_of, is_notebook
from autograd_lint.project.source import Source

UNREADABLE = (SyntaxError, ValueError, LookupError, RecursionError, MemoryError)
"""What decoding and parsing a file may raise (UnicodeDecodeError is a ValueError)."""


_MOST_CHARACTERS = 2_000_000  # of a source: some 500 bytes of memory each while it is checked
_MOST_TOKENS = 400_000  # of a source: Python's parser takes up to 1,800 bytes of memory for each
_TOKEN = re.compile(r"^[ \t]*#.*|\w+|[^\w\s,)\]}]", re.MULTILINE)  # of a node of the tree, or less


def excess(text: str) -> str:
    """What of a source is too much to be checked, in words; empty where nothing is."""
    if len(text) > _MOST_CHARACTERS:
        return _of_millions(len(text), "characters", _MOST_CHARACTERS)
    if len(text) <= _MOST_TOKENS:
        return ""
    tokens = sum(1 for _ in _TOKEN.finditer(text))
    return _of_millions(tokens, "names and signs", _MOST_TOKENS) if tokens > _MOST_TOKENS else ""


def _of_millions(count: int, what: str, most: int) -> str:
    return f"{count / 1e6:.1f} million {what}, {most / 1e6:g} million at most"


def decode(data: bytes, filename: str, stands_for: str = "") -> Source:
    """The source, by its byte order mark or coding comment (PEP 263), else UTF-8.

    Raises SyntaxError, LookupError or UnicodeDecodeError where the bytes are not what they claim.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return Source(filename, data.decode(encoding), stands_for=stands_for)


def parsed(filename: str, stands_for: str = "") -> Source | None:
    """The source of a file, its tree made; None where it cannot be read or parsed, or is too large.

    `stands_for` is the module of a library that it is a model of.
    """
    try:
        source = decode(disk.read(filename), filename, stands_for)
        if excess(source.text):
            return None
        _ = source.tree
    except (OSError, *UNREADABLE):
        return None
    return source


def parse_error(filename: str, error: BaseException) -> Finding:
    """The finding for a file, or a notebook's cell, that cannot be decoded or parsed."""
    row, column, message = _what_stopped(error)
    what = "file" if cell_of(filename) is None else "cell"
    return Finding(
        PARSE_ERROR,
        "parse-error",
        f"the {what} cannot be parsed: {message}",
        Place(filename, row, column, row, column + 1),
        label=message,
        reason=f"nothing else in this {what} was checked",
        help=_help(filename, error),
        noqa_row=row,
    )


def _help(filename: str, error: BaseException) -> str:
    if isinstance(error, (RecursionError, MemoryError)):
        return "split the statement up, or exclude the file"
    if isinstance(error, UnicodeDecodeError) or (
        isinstance(error, SyntaxError) and error.lineno is None
    ):
        return "save the file as UTF-8, or name its encoding in a coding comment, or exclude it"
    if is_notebook(filename) and not isinstance(error, SyntaxError):
        return "save it as a notebook once more (`jupyter nbconvert --to notebook`), or exclude it"
    return (
        "fix the syntax error, run autograd-lint with the Python version that the file is written"
        " for, or exclude the file"
    )


def _what_stopped(error: BaseException) -> tuple[int, int, str]:
    if isinstance(error, (RecursionError, MemoryError)):
        return 1, 1, "it is nested too deeply for Python's parser"
    if isinstance(error, SyntaxError):
        return max(error.lineno or 1, 1), max(error.offset or 1, 1), error.msg
    if isinstance(error, UnicodeDecodeError):
        return _undecodable(error)
    if isinstance(error, json.JSONDecodeError):
        return error.lineno, error.colno, f"it is no JSON: {error.msg}"
    return 1, 1, str(error).partition("\n")[0] or type(error).__name__


def _undecodable(error: UnicodeDecodeError) -> tuple[int, int, str]:
    before = error.object[: error.start]
    line = before.rpartition(b"\n")[2].decode(error.encoding, "replace")
    byte = error.object[error.start]
    message = f"byte 0x{byte:02x} is not {error.encoding}, and no coding comment says what it is"
    return before.count(b"\n") + 1, len(line) + 1, message
