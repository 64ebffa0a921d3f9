"""A diagnosis as text and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from autograd_lint.diagnosis.diagnosing import Diagnosis
from autograd_lint.diagnosis.evidence import Evidence
from autograd_lint.diagnosis.ranking import Candidate
from autograd_lint.report import json as records
from autograd_lint.report.excerpt import Line
from autograd_lint.report.text import Lines, one, relative, shown

_MOST_EXCLUDED = 5
_WORTH_SAYING = 1.2  # how much likelier a piece of evidence makes a cause that is told of it


def document(diagnosis: Diagnosis | None, most: int) -> str:
    """The candidates as the text of one JSON array, by rank."""
    candidates = diagnosis.ranked.candidates[:most] if diagnosis is not None else ()
    found = [_record(rank, one) for rank, one in enumerate(candidates, 1)]
    if found and diagnosis is not None:
        for record in found:
            record["topic"] = diagnosis.evidence.topic.name
            record["experiment"] = diagnosis.experiment or None
    return json.dumps(found, indent=2, ensure_ascii=False)


def _record(rank: int, candidate: Candidate) -> dict[str, Any]:
    evidence = [
        {"what": piece.what, "agrees": piece.agrees, "text": piece.said}
        for piece in candidate.pieces
    ]
    record = records.record(candidate.finding)
    finding = candidate.finding
    return {
        **record,
        "reason": finding.reason,
        "help": finding.help,
        "rank": rank,
        "probability": round(candidate.probability, 3),
        "evidence": evidence,
    }


def text(diagnosis: Diagnosis, lines: Lines, width: int, most: int) -> Iterator[Line]:
    """The error in other words, the candidates with their pictures, and what to try."""
    yield from _head(diagnosis, width)
    candidates = diagnosis.ranked.candidates
    for rank, candidate in enumerate(candidates[:most], 1):
        count = min(len(candidates), most)
        yield [(f"{rank} of {count}, {_percent(candidate.probability)}", "title")]
        yield from one(candidate.finding, lines, width)
        yield from _pieces(candidate, width)
        yield []
    if not candidates:
        yield from _nothing(diagnosis, width)
    if diagnosis.experiment:
        yield from _wrapped("to be sure: ", diagnosis.experiment, width)
    further = len(candidates) - most
    if further > 0:
        yield [(f"{further} more, less likely: --most {len(candidates)}", "")]
    if diagnosis.left_out:
        yield from _wrapped("", _left_out(diagnosis), width)


def _left_out(diagnosis: Diagnosis) -> str:
    """What was not run, in a sentence."""
    begun = "1 file was" if diagnosis.files == 1 else f"{diagnosis.files} files were"
    rest = "1 was" if diagnosis.left_out == 1 else f"{diagnosis.left_out} were"
    return (
        f"{begun} run, the most suspect first; {rest} only read. To have others run, name them, or"
        " give the whole traceback."
    )


def plain(diagnosis: Diagnosis, lines: Lines, most: int = 3) -> str:
    """The same as `text`, without styles."""
    parts = text(diagnosis, lines, 100, most)
    return "\n".join("".join(part for part, _ in line).rstrip() for line in parts)


def _head(diagnosis: Diagnosis, width: int) -> Iterator[Line]:
    evidence = diagnosis.evidence
    yield from _wrapped("error: ", _shortened(evidence.message), width)
    yield from _wrapped("means: ", evidence.topic.said, width)
    names = _names(evidence)
    if names:
        yield from _wrapped("names: ", names, width)
    raised = diagnosis.way.raised
    if raised is not None:
        yield from _wrapped("raised: ", f"{relative(raised.filename)}:{raised.row}", width)
    yield []


def _shortened(message: str) -> str:
    message = message.partition(" Hint: ")[0]
    return message if len(message) <= 240 else message[:239] + "…"


def _names(evidence: Evidence) -> str:
    """What the message names, in a few words."""
    named, said = evidence.named, []
    if named.dtype or named.shape is not None:
        shape = f" of shape {list(named.shape)}" if named.shape is not None else ""
        said.append(f"a tensor of dtype {named.dtype or '?'}{shape}")
    if named.node:
        said.append(
            f"output {named.output} of {named.node}" if named.output is not None else named.node
        )
    elif named.version is not None and named.expected is not None and named.shape is not None:
        said.append("a leaf, or a tensor without gradient")
    if named.shape is not None and named.writes is not None:
        count = "one write" if named.writes == 1 else f"{named.writes} writes"
        said.append(f"{count} after it was saved")
    if evidence.failed:
        said.append(f"backward failed in {evidence.failed}")
    return "; ".join(said)


def _pieces(candidate: Candidate, width: int) -> Iterator[Line]:
    for piece in candidate.pieces:
        if piece.agrees and piece.ratio < _WORTH_SAYING:
            continue
        word = {True: "fits", False: "does not fit", None: "open"}[piece.agrees]
        yield from _wrapped(f" = {word}: ", piece.said, width)


def _nothing(diagnosis: Diagnosis, width: int) -> Iterator[Line]:
    files = "1 file" if diagnosis.files == 1 else f"{diagnosis.files} files"
    said = f"Nothing in {files} that was looked at fits this error."
    yield from _wrapped("", said, width)
    excluded = diagnosis.ranked.excluded
    for candidate in excluded[:_MOST_EXCLUDED]:
        finding = candidate.finding
        against = "; ".join(piece.said for piece in candidate.disagreeing)
        said = f"{shown(finding.place)} {finding.code} {finding.message}: {against}"
        yield from _wrapped(" excluded: ", said, width)
    if diagnosis.evidence.topic.causes:
        yield [("Usual causes:", "title")]
        for cause in diagnosis.evidence.topic.causes:
            yield from _wrapped(" - ", cause, width)


def _percent(probability: float) -> str:
    return (
        f"{probability:.0%}"
        if 0.01 <= probability <= 0.99
        else ("> 99%" if probability > 0.5 else "< 1%")
    )


def _wrapped(word: str, said: str, width: int) -> Iterator[Line]:
    parts: Sequence[str] = textwrap.wrap(said, max(width - len(word), 20), break_on_hyphens=False)
    for index, part in enumerate(parts or [""]):
        yield [(word, "note"), (part, "")] if not index else [(" " * len(word) + part, "")]
