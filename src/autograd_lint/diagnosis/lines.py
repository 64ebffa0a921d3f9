"""The lines of an error as Python printed them, without what terminals, loggers, launchers and
forums have put around them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

MOST = 2_000_000  # characters that are read, from the end

_ESCAPES = re.compile(
    r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f]"
)
_LITERAL_COLOUR = re.compile(r"(?:\\x1b|\\033|\\e|␛)\[[0-9;]*m")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#39|nbsp);")
# What says which of several processes has printed a line.
_RANK = re.compile(
    r"^\s*(?:\[(?P<a>(?:default|rank|Rank)\s?\d+)\]:?|\[\d+,(?P<b>\d+)\]<std(?:err|out)>:"
    r"|(?P<c>\d{1,4}):(?= )|\((?P<d>\w+ pid=\d+[^)]*)\)|\[Rank:? ?(?P<e>\d+)\]:?"
    r"|(?P<f>[\w.-]+_1\s+)\|)\s?",
)
# What a logger has put before a line, and what marks a quotation or the frame of a box.
_LOGGED = re.compile(
    r"^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|\s?[+-]\d\d:?\d\d)?\]?"
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?)"
    r"(?:\s+std(?:err|out)\s+[FP](?=\s))?"
    r"(?:\s*[-|:\[\](]*\s*(?:[\w.]+\]?\s*[-|:\[]\s*)?\[?(?:DEBUG|INFO|WARNING|WARN|ERROR"
    r"|CRITICAL|FATAL|E|W|I)\]?"
    r"(?:\s*[-|:\]]+)*(?=\s|$))?\s?"
)
_QUOTED = re.compile(r"^(?:> ?)+")
_QUOTES = re.compile(r"^(?:> ?)+ *(?:File \"|Traceback \()", re.MULTILINE)
_BOX = re.compile(r"^\s*[│┃|╭╰╮╯─]+\s?(.*?)\s*[│┃|╮╯]?\s*$")


def clean(text: str) -> list[str]:
    """The lines of a text; of several processes that print the same, those of all, one process
    after the other."""
    if len(text) > MOST:
        text = text[-MOST:]
    text = _LITERAL_COLOUR.sub("", _ESCAPES.sub("", text))
    if _ENTITY.search(text):
        text = html.unescape(text)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ")
    if _QUOTES.search(text):
        text = "\n".join(_QUOTED.sub("", line) for line in text.split("\n"))
    return _dedented([_bare(line) for line in _by_process(text.split("\n"))])


def _dedented(lines: list[str]) -> list[str]:
    """The lines without the indentation that the whole of a traceback has."""
    heads = [line for line in lines if line.lstrip().startswith("Traceback (most recent")]
    depth = min((len(line) - len(line.lstrip()) for line in heads), default=0)
    if not depth:
        return lines
    return [line[depth:] if not line[:depth].strip() else line for line in lines]


def _by_process(lines: Iterable[str]) -> list[str]:
    """The lines sorted by the process that printed them, in the order of their first lines."""
    found: dict[str, list[str]] = {}
    for line in lines:
        match = _RANK.match(line)
        if match is None:
            found.setdefault("", []).append(line)
            continue
        process = next(filter(None, match.groups()), "")
        found.setdefault(process, []).append(line[match.end() :])
    return [line for own in found.values() for line in own]


def _bare(line: str) -> str:
    line = _LOGGED.sub("", line)
    boxed = _BOX.match(line)
    if boxed is not None and line.lstrip()[:1] in "│┃╭╰":
        return boxed[1]
    return line.rstrip()
