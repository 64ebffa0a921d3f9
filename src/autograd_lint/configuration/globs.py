"""Patterns of .gitignore that would take long: each as an expression that never tries again.

Where several `*` stand in one name, an expression that goes back tries all ways to share it out
among them. The first place where what follows a star fits is as good as any later one, so nothing
need be tried again; that is said with a look ahead, whose choice stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.pattern import Pattern

# What takes no character as it is, as a backslash does in a pattern, but leads into a folder.
_BACKSLASH = re.compile(r"\\(?![#! *?\[\]])")
_STARS = 2  # in one pattern that are no danger
_FOLDERS = 3  # `**` in one pattern beyond which it is left out
_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<set>\[[!^]?\]?[^\]/]*\])|(?P<star>\*+)|(?P<plain>.)", re.S
)


def with_slashes(pattern: str) -> str:
    """The pattern; raises ValueError for a path of Windows, which matches nothing."""
    if _BACKSLASH.search(pattern):
        slashes = re.sub(r"\\+", "/", pattern)
        raise ValueError(f"{pattern!r}: folders are separated by `/` everywhere; write {slashes!r}")
    return pattern


def compiled(lines: Sequence[str]) -> GitIgnoreSpec:
    """The lines of a .gitignore; raises ValueError for what is no pattern."""
    from pathspec import GitIgnoreSpec

    if not any(map(_is_hard, lines)):
        return GitIgnoreSpec.from_lines(lines)
    patterns: list[Pattern] = []
    for line in lines:
        found = [_of(line)] if _is_hard(line) else GitIgnoreSpec.from_lines([line]).patterns
        patterns.extend(found)
    return GitIgnoreSpec(patterns)  # type: ignore[arg-type]  # it takes all, and says so of its own


def _is_hard(line: str) -> bool:
    return line.count("*") > _STARS and not line.startswith("#")


def _of(line: str) -> Pattern:
    from pathspec.pattern import RegexPattern

    text = line.strip()
    wanted = not text.startswith("!")
    body = text if wanted else text[1:]
    anchored = "/" in body.rstrip("/")
    segments = [segment for segment in body.strip("/").split("/") if segment]
    if sum(segment == "**" for segment in segments) > _FOLDERS:
        raise ValueError("too many `**`")
    numbers = iter(range(len(line)))
    parts = ["" if anchored else "(?:[^/]+/)*"]
    for position, segment in enumerate(segments):
        last = position == len(segments) - 1
        if segment == "**":
            parts.append(".+" if last else "(?:[^/]+/)*")
        else:
            parts.append(_name(segment, numbers) + ("" if last else "/"))
    end = "/.*" if body.endswith("/") else "(?:/.*)?"
    try:
        return RegexPattern(re.compile(f"(?s:^{''.join(parts)}{end})\\Z"), wanted)
    except re.error as error:
        raise ValueError(str(error)) from None


def _name(segment: str, numbers: Iterator[int]) -> str:
    """One name between slashes."""
    chunks = [""]
    for token in _TOKEN.finditer(segment):
        if token["star"]:
            chunks.append("")
        else:
            chunks[-1] += _one(token)
    first, *rest = chunks
    if not rest:
        return first
    middle = [_next(chunk, next(numbers)) for chunk in rest[:-1] if chunk]
    return f"{first}{''.join(middle)}[^/]*{rest[-1]}(?=/|\\Z)"


def _one(token: re.Match[str]) -> str:
    """What matches one character."""
    if token["escaped"]:
        return re.escape(token["escaped"])
    if token["set"]:
        inner = token["set"][1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return "(?!/)[" + ("^" + inner[1:] if inner[:1] in ("!", "^") else inner) + "]"
    return "[^/]" if token["plain"] == "?" else re.escape(token["plain"])


def _next(chunk: str, number: int) -> str:
    """As few characters as there are before the chunk, and the chunk, for good."""
    return f"(?=(?P<s{number}>[^/]*?{chunk}))(?P=s{number})"
