"""The lines of an error as Python printed them, without what terminals, loggers, launchers and
forums have put around them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

MOST = 2_000_000  # characters that are read, from the end
LONGEST = 4_000  # characters of a line that are read

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
    r"(?: std(?:err|out) [FP](?= ))?"
    r"(?:[-|:\[\]( ]{0,6}(?:[\w.]{1,80}\]?[ ]{0,2}[-|:\[][ ]{0,2})?\[?(?:DEBUG|INFO|WARNING|WARN"
    r"|ERROR|CRITICAL|FATAL|E|W|I)\]?(?: {0,2}[-|:\]]{1,3}){0,2}(?=\s|$))?\s?"
)
_QUOTED = re.compile(r"^(?:> ?)+")
_QUOTES = re.compile(r"^(?:> ?)+ *(?:File \"|Traceback \()", re.MULTILINE)
_BOX = "│┃|╭╰╮╯─"


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
    lines = [part[:LONGEST] for line in text.split("\n") for part in _unfolded(line)]
    return _dedented([_bare(line) for line in _by_process(lines)])


def _unfolded(line: str) -> list[str]:
    """The lines of a traceback that a logger has written as one, as JSON does."""
    if "\\n" not in line or ("Traceback (most" not in line and '", line ' not in line):
        return [line]
    return line.replace('\\"', '"').split("\\n")


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
    line = _LOGGED.sub("", line).rstrip()
    inside = line.lstrip()
    if inside[:1] and inside[0] in "│┃╭╰":
        return inside.strip(_BOX).rstrip().removeprefix(" ")
    return line
