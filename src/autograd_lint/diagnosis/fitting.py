"""How a candidate agrees with an error: piece by piece, in the error's own terms.

Each piece says how many times likelier the evidence is where this is the cause than where it is
not. The numbers are orders of magnitude, chosen so that what the engine tells apart for certain (a
node, a dtype, the line that raises) outweighs what is only usual.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

from autograd_lint.diagnosis import nodes
from autograd_lint.diagnosis.evidence import Evidence
from autograd_lint.diagnosis.matching import Step
from autograd_lint.diagnosis.topics.registry import LAST, topic_of
from autograd_lint.engine.faults import FaultKind
from autograd_lint.findings import Finding, Found
from autograd_lint.immutable import immutable
from autograd_lint.places import Place

_LEAST_PRIOR = 0.1  # of a finding that assumes much: the error shows that something of it holds
CONTRADICTED = 0.01  # what the engine would have said otherwise
_QUOTED = re.compile(r"`([^`]+)`")
_TEST = re.compile(
    r"(?:^|[/\\])(?:tests?|testing)[/\\]|[/\\]test_\w+\.py$|_test\.py$|conftest\.py$"
)
_BESIDE = re.compile(
    r"[/\\_](?:data|datasets?|preprocess\w*|transforms|eval\w*|visuali\w+|convert\w*|export\w*|tools?"
    r"|scripts?|checkpoint\w*|\w*load(?:er|ing))(?:[/\\_]|s?\.py$)"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_NEAR = 3  # rows of one statement over several lines
# A weight is kept as the layer has it, and read transposed.
_OF_WEIGHTS = frozenset({"t", "asstrided", "transpose", "permute"})


@immutable
class Fit:
    """One piece of evidence: `agrees` is None where it tells nothing for or against."""

    what: str
    agrees: bool | None
    said: str
    ratio: float = 1.0


@immutable
class Way:
    """Where the program went, as rows of files at hand: to where it raised, and to the forward
    call that anomaly mode blames. `direct` says that torch itself raised below the last step."""

    steps: tuple[Step, ...] = ()
    forward: tuple[Step, ...] = ()
    direct: bool = True

    @property
    def raised(self) -> Step | None:
        """Where the program itself was when it raised."""
        return self.steps[-1] if self.steps else None


def fits(finding: Finding, evidence: Evidence, way: Way) -> tuple[Fit, ...]:
    """What the pieces of an error say to a finding; none where it is about something else."""
    kind = _class(finding, evidence)
    if kind is None:
        return ()
    return (
        kind,
        *_tensor(finding, evidence),
        *_subject(finding, evidence),
        *_raised(finding, way),
        *where(finding.place.filename, way, evidence.topic.error),
        *_forward(finding, evidence, way),
    )


def weight(finding: Finding, pieces: Sequence[Fit]) -> float:
    """How well all of it goes together."""
    return max(finding.probability, _LEAST_PRIOR) * prod(piece.ratio for piece in pieces)


def _class(finding: Finding, evidence: Evidence) -> Fit | None:
    topic, predicts = evidence.topic, finding.predicts
    known = finding.code in topic.codes
    if predicts is not None and predicts.error == topic.error.value:
        if topic.error is not FaultKind.OTHER:
            return Fit("class", True, "the run of the program ends in this very error", 20.0)
        about = topic_of(f"{predicts.detail} {finding.reason} {finding.message}")
        if about is not None and about[0] is topic is not LAST:
            return Fit("class", True, "the run of the program ends in this very error", 20.0)
        if known and (about is None or about[0] is LAST):
            return Fit("class", True, "the run of the program ends in such an error", 5.0)
        return None
    if not known:
        return None
    if predicts is None:
        return Fit("class", None, "it is silent by itself, and can lead to this error", 5.0)
    return Fit("class", None, "it raises another error, and can lead to this one", 0.8)


def _tensor(finding: Finding, evidence: Evidence) -> Iterator[Fit]:
    """What the message says of the saved tensor."""
    found = finding.predicts.found if finding.predicts else None
    if found is None or evidence.topic.error is not FaultKind.SAVED_TENSOR_MODIFIED:
        return
    named = evidence.named
    yield from _producer(found, evidence)
    if named.dtype and found.dtype:
        yield _dtype(named.dtype, found.dtype)
    if named.shape is not None and found.shape is not None:
        yield _shape(named.shape, found)
    if named.writes is not None:
        yield _writes(named.writes, named.version, named.expected, found)


def _producer(found: Found, evidence: Evidence) -> Iterator[Fit]:
    node, complete = evidence.named.node, evidence.named.version is not None
    made = f"`{_short(found.producer)}`"
    if not found.producer:
        if node is None and complete:
            yield Fit("node", True, "the tensor is a leaf, and the message names no node", 3.0)
        elif node is not None and node.lower() in _OF_WEIGHTS:
            said = f"the tensor is a weight, which its layer reads as output 0 of {node}"
            yield Fit("node", True, said, 3.0)
        elif node is not None:
            yield Fit("node", False, f"the tensor is a leaf, not a result of {node}", 0.05)
        return
    if node is None:
        if complete:
            said = f"the tensor is a result of {made}, but the message names no node"
            yield Fit("node", False, said, 0.15)
        return
    same = nodes.same(node, found.producer)
    if same:
        yield Fit("node", True, f"{made} makes the node {node} that the message names", 10.0)
    elif same is False:
        yield Fit("node", False, f"{made} makes no node {node}", CONTRADICTED)
    output = evidence.named.output
    if same and output is not None and output != found.output:
        yield Fit("output", False, f"it is output {found.output}, not {output}", 0.3)


def _dtype(wanted: str, given: str) -> Fit:
    if wanted != given:
        return Fit("dtype", False, f"the tensor is of dtype {given}, not {wanted}", CONTRADICTED)
    return Fit("dtype", True, f"the tensor is of dtype {wanted}", 1.1 if wanted == "float" else 4.0)


def _shape(wanted: tuple[int, ...], found: Found) -> Fit:
    shape = found.shape or ()
    shapes = [shape] if found.producer else [shape, shape[::-1]]
    text = str(list(wanted))
    if any(_agree(wanted, one) for one in shapes):
        known = sum(size is not None for size in shape)
        whole = known == len(shape)
        said = f"the tensor is of shape {text}" if whole else f"the shape may be {text}"
        return Fit("shape", True if whole else None, said, 3.0 if whole else 1.3)
    sizes = ", ".join("?" if size is None else str(size) for size in shape)
    return Fit("shape", False, f"the tensor is of shape [{sizes}], not {text}", 0.2)


def _agree(wanted: tuple[int, ...], given: tuple[int | None, ...]) -> bool:
    pairs = zip(wanted, given, strict=False)
    return len(wanted) == len(given) and all(size in (None, other) for other, size in pairs)


def _writes(wanted: int, version: int | None, expected: int | None, found: Found) -> Fit:
    given = found.version - found.saved
    count = "one write" if wanted == 1 else f"{wanted} writes"
    terms = f"version {version} where {expected} was expected"
    if given == wanted:
        return Fit("writes", True, f"{count} after it was saved: {terms}", 2.5)
    times = "is one" if given == 1 else f"are {given}"
    said = f"there {times} after it was saved, not {wanted} ({terms})"
    return Fit("writes", None if given > 0 else False, said, 0.5)


def _subject(finding: Finding, evidence: Evidence) -> Iterator[Fit]:
    """What else the message names: a Function, an operator, a method."""
    named = evidence.named
    if evidence.topic.error is FaultKind.SAVED_TENSOR_MODIFIED:
        return
    words = _words(finding)
    if named.node is not None:
        if any(nodes.same(named.node, word) for word in words):
            yield Fit("node", True, f"it is about {named.node}, which the message names", 6.0)
        elif finding.predicts is not None and finding.predicts.operator:
            same = nodes.same(named.node, finding.predicts.operator)
            if same is False:
                made = _short(finding.predicts.operator)
                yield Fit("node", False, f"it is about `{made}`, not {named.node}", 0.3)
    if named.subject is not None:
        subject = named.subject.rpartition(".")[2]
        if any(nodes.same(subject, word) for word in words):
            yield Fit("subject", True, f"it is about `{subject}`, which the message names", 4.0)


def _words(finding: Finding) -> set[str]:
    """The names that a finding speaks of."""
    texts = [finding.message, finding.label, *(other.message for other in finding.related)]
    quoted = (part for text in texts for part in _QUOTED.findall(text))
    words = {word for part in quoted for word in _WORD.findall(part)}
    predicts = finding.predicts
    if predicts is not None:
        words |= set(_WORD.findall(f"{predicts.operator} {predicts.detail}"))
    return words


def _raised(finding: Finding, way: Way) -> Iterator[Fit]:
    """Whether it raises where the traceback ends."""
    raised, predicts = way.raised, finding.predicts
    if raised is None:
        return
    if predicts is None:
        yield from _passed(finding, way)
        return
    if predicts.filename is None or predicts.row is None:
        yield from _passed(finding, way)
        return
    at = (predicts.filename, predicts.row)
    if at == (raised.filename, raised.row):
        yield Fit("raised", True, f"line {raised.row} is where it was raised", 15.0)
    elif at[0] == raised.filename and 0 < abs(raised.row - at[1]) <= _NEAR:
        yield Fit("raised", True, f"it was raised in the statement of line {at[1]}", 5.0)
    elif any(at == (step.filename, step.row) for step in way.steps):
        yield Fit("raised", True, f"line {at[1]} leads to where it was raised", 6.0)
    else:
        said = f"it would raise in line {at[1]}, but line {raised.row} did"
        yield Fit("raised", False, said, 0.03 if way.direct else 0.3)


def where(filename: str, way: Way, error: FaultKind) -> Iterator[Fit]:
    """Where no traceback tells it, an error is seldom one of a test, nor of what only prepares
    data, converts or shows something; but that is where tensors are handed to NumPy."""
    if way.steps:
        return
    if _TEST.search(filename):
        yield Fit("where", None, "it stands in a test", 0.4)
    elif error is not FaultKind.NUMPY_ON_GRAD and _BESIDE.search(filename):
        yield Fit("where", None, "it stands beside what is trained, by the name of its file", 0.6)


def _passed(finding: Finding, way: Way) -> Iterator[Fit]:
    """Whether the traceback leads by a place of the finding."""
    rows = {(step.filename, step.row) for step in (*way.steps, *way.forward)}
    files = {filename for filename, _ in rows}
    if any((place.filename, row) in rows for place in _places(finding) for row in _rows(place)):
        yield Fit("passed", True, "the traceback leads by it", 3.0)
    elif any(place.filename in files for place in _places(finding)):
        yield Fit("passed", None, "the traceback leads by its file", 1.5)


def _forward(finding: Finding, evidence: Evidence, way: Way) -> Iterator[Fit]:
    """Whether it is about the forward call that anomaly mode blames."""
    predicts = finding.predicts
    if evidence.failed is not None and predicts is not None and predicts.operator:
        same = nodes.same(evidence.failed, predicts.operator)
        if same:
            said = (
                f"`{_short(predicts.operator)}` makes {evidence.failed}, which anomaly mode names"
            )
            yield Fit("failed", True, said, 6.0)
        elif same is False:
            made = _short(predicts.operator)
            said = f"anomaly mode names {evidence.failed}, which `{made}` does not make"
            yield Fit("failed", False, said, 0.2)
    if not way.forward:
        return
    blamed = [one.place for one in finding.related if one.role in ("saved", "built")]
    blamed = blamed or [finding.place]
    rows = [(step.filename, step.row) for step in way.forward]
    at = {(place.filename, row) for place in blamed for row in _rows(place)}
    if rows[-1] in at:
        said = f"line {rows[-1][1]} is the forward call that anomaly mode shows"
        yield Fit("forward", True, said, 12.0)
    elif at.intersection(rows):
        yield Fit("forward", True, "it leads to the forward call that anomaly mode shows", 4.0)
    elif any(one.role == "saved" for one in finding.related):
        said = f"anomaly mode shows the forward call in line {rows[-1][1]}"
        yield Fit("forward", False, said, 0.2)


def _places(finding: Finding) -> list[Place]:
    return [finding.place, *(other.place for other in finding.related)]


def _rows(place: Place) -> range:
    return range(place.row, place.end_row + 1)


def _short(operator: str) -> str:
    return operator.rpartition(".")[2].strip("_") or operator
