"""From a printed error, in whatever form, to evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from autograd_lint.diagnosis.evidence import Evidence, Named
from autograd_lint.diagnosis.lines import clean
from autograd_lint.diagnosis.matching import is_own
from autograd_lint.diagnosis.nodes import bare, completed
from autograd_lint.diagnosis.topics.messages import topic_of_beginning
from autograd_lint.diagnosis.topics.registry import LAST, named, topic_of
from autograd_lint.diagnosis.topics.topic import Topic
from autograd_lint.diagnosis.tracebacks import Printed, Raised, printed

_DTYPES = (
    (re.compile(r"Bool"), "bool"),
    (re.compile(r"Complex"), "complex"),
    (re.compile(r"Long|Int|Short|Char|Byte"), "int"),
    (re.compile(r"Float|Double|Half|BFloat"), "float"),
)
_LONGEST_MESSAGE = 400
_MOST = 100_000  # characters of a text without form that are searched, from the end
# What autograd calls back, and files of torch that are autograd's own.
_CALLED_BACK = frozenset({"backward", "jvp", "vjp", "setup_context"})
# What raises there is a kernel, a device or another process as well.
_CALLS_OF_ENGINE = frozenset({"backward", "grad", "_engine_run_backward"})
_ENGINE = re.compile(r"[/\\]torch[/\\](?:autograd|_functorch|utils[/\\](?:checkpoint|hooks)\.py)")


def read(text: str) -> Evidence | None:
    """What a text says of an error of autograd; None where it speaks of none."""
    lines = clean(text)
    told = printed(lines)
    for raised in _by_weight(told.raised):
        found = topic_of(raised.message)
        if found is not None:
            return _evidence(*found, raised, told)
        if topic := topic_of_beginning(raised.message) or _by_frames(raised):
            return Evidence(topic, _told(raised), Named(), tuple(raised.frames))
    # A message that has lost its form: what is left of it may still be known.
    whole = " ".join(" ".join(lines)[-_MOST:].split())
    found = topic_of(whole)
    if found is None or found[0] is LAST:
        return None
    frames = told.raised[-1].frames if told.raised else []
    return _evidence(*found, Raised("", [_around(whole, found[1])], frames), told)


def last_line(text: str) -> str:
    """The last line of a text that says anything, for the reader of a refusal."""
    said = [line.strip() for line in clean(text) if line.strip()]
    return said[-1][:_LONGEST_MESSAGE] if said else ""


def _by_weight(raised: Sequence[Raised]) -> Iterator[Raised]:
    """The exceptions in the order in which they may be the one meant: of the last chain the first
    ones, then those of the chains before, then warnings."""
    warned = [one for one in raised if one.is_warning]
    raised = [one for one in raised if not one.is_warning]
    chains: list[list[Raised]] = []
    for one in raised:
        if one.chained and chains:
            chains[-1].append(one)
        else:
            chains.append([one])
    clear = [one for one in raised if _is_clear(one)]
    for chain in reversed(chains):
        yield from (one for one in chain if one in clear)
    for chain in reversed(chains):
        yield from chain
    yield from filter(_is_clear, warned)


def _is_clear(raised: Raised) -> bool:
    found = topic_of(raised.message)
    return found is not None and found[0] is not LAST


def _around(text: str, match: re.Match[str]) -> str:
    """The message in a text that has no lines: from where it is known, as far as it may go."""
    begin = max(_behind(mark, text, match.start()) for mark in ("Error: ", ". ", '" '))
    start = begin if begin and match.start() - begin < 200 else max(0, match.start() - 80)
    return text[start : match.end() + 120].strip()


def _behind(mark: str, text: str, end: int) -> int:
    """Where the last mark before an end is over; 0 where there is none."""
    found = text.rfind(mark, 0, end)
    return found + len(mark) if found >= 0 else 0


def _evidence(topic: Topic, match: re.Match[str], raised: Raised, told: Printed) -> Evidence:
    return Evidence(
        topic,
        _told(raised),
        _named(_whole(match)),
        tuple(raised.frames),
        tuple(told.forward),
        bare(told.failed) if told.failed else None,
    )


def _told(raised: Raised) -> str:
    return raised.message[:_LONGEST_MESSAGE] or raised.type


def _by_frames(raised: Raised) -> Topic | None:
    """What an error is about that says nothing of autograd, but comes from what autograd calls."""
    frames = raised.frames
    own = [frame for frame in frames if is_own(frame)]
    if own and own[-1].function in _CALLED_BACK and own[-1] is frames[-1]:
        return named("custom-function")
    inside = bool(frames) and _ENGINE.search(frames[-1].filename) is not None
    return LAST if inside and frames[-1].function not in _CALLS_OF_ENGINE else None


def _whole(match: re.Match[str]) -> dict[str, str | None]:
    """What a message names; a name at which its text was cut off only if it can be completed."""
    told = match.groupdict()
    node = told.get("node")
    if node is None or match.end("node") != len(match.string) or "'" in match[0]:
        return told
    whole = bare(node) if bare(node) != node else completed(node)
    return {**told, "node": whole, "output": told.get("output") if whole else None}


def _named(told: dict[str, str | None]) -> Named:
    node, subject = told.get("node"), told.get("subject")
    return Named(
        bare(node) if node else None,
        _number(told.get("output")),
        _dtype(told.get("type")),
        _shape(told.get("shape")),
        _number(told.get("version")),
        _number(told.get("expected")),
        _number(told.get("index")),
        subject,
    )


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() and len(text) < 9 else None


def _dtype(text: str | None) -> str | None:
    name = (text or "").rpartition(".")[2]
    return next((dtype for pattern, dtype in _DTYPES if pattern.search(name)), None)


def _shape(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    sizes = [_number(part.strip()) for part in text.split(",") if part.strip()]
    known = [size for size in sizes if size is not None]
    return tuple(known) if len(known) == len(sizes) else None
