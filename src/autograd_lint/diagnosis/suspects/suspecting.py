"""Which statements are suspected of an error, and how much."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from autograd_lint.diagnosis import nodes
from autograd_lint.diagnosis.evidence import Evidence
from autograd_lint.diagnosis.fitting import Fit, Way, where
from autograd_lint.diagnosis.suspects import graphs, writes, writing
from autograd_lint.diagnosis.suspects.code import (
    Line,
    is_parameter,
    lines,
    may_be_anothers,
)
from autograd_lint.engine.faults import FaultKind
from autograd_lint.findings import Finding, Prediction
from autograd_lint.immutable import immutable
from autograd_lint.levels import Certainty
from autograd_lint.places import Place
from autograd_lint.project.reading import UNREADABLE
from autograd_lint.project.source import Source

_BASE = 0.5
_K = FaultKind
_WRITES = {_K.SAVED_TENSOR_MODIFIED, _K.LEAF_MODIFIED, _K.LEAF_VIEW_MODIFIED, _K.VIEW_MODIFIED}
_GRAPHS: dict[FaultKind, Callable[[Line], Iterator[Fit] | None]] = {
    _K.GRAPH_FREED: graphs.freed,
    _K.NUMPY_ON_GRAD: graphs.handed,
    _K.NO_GRAD_ROOT: graphs.rootless,
    _K.UNUSED_INPUT: graphs.asked,
}


_OF_TOPICS: dict[str, Callable[[Line], Iterator[Fit] | None]] = {
    "out-of-memory": graphs.gathered,
    "input-without-grad": graphs.demanded,
}


@immutable
class Suspect:
    """A statement, and what speaks for and against it."""

    finding: Finding
    pieces: tuple[Fit, ...]
    base: float = _BASE


def suspects(source: Source, evidence: Evidence, way: Way) -> Iterator[Suspect]:
    """The statements of a file that could be to blame for an error."""
    try:
        found = list(lines(source))
    except UNREADABLE:
        return
    told = (*where(source.filename, way, evidence.topic.error), *_of_file(source, evidence))
    for line in found:
        pieces = _pieces(line, evidence, way, told)
        if pieces is not None:
            yield Suspect(_finding(line, evidence), pieces)


def _of_file(source: Source, evidence: Evidence) -> Iterator[Fit]:
    """Whether a file has something that makes the node of the tensor that was written."""
    node = evidence.named.node
    if node is None or evidence.topic.error is not _K.SAVED_TENSOR_MODIFIED:
        return
    makers = nodes.made_by(node)
    if makers and not makers.isdisjoint(nodes.plain_words(source.text)):
        yield Fit("node", True, f"its file has what makes the node {node}", 2.0)
    elif makers:
        yield Fit("node", None, f"nothing in its file makes the node {node}", 0.6)


def _pieces(
    line: Line, evidence: Evidence, way: Way, told: tuple[Fit, ...]
) -> tuple[Fit, ...] | None:
    raised = way.raised
    here = raised is not None and raised.filename == line.source.filename
    at_raise = here and raised is not None and raised.row in line.rows
    form = _form(line, evidence)
    if form is None:
        if not at_raise:
            return None
        form = iter(())
    said = "by its form it can be to blame; no run of the analysis shows it"
    passed = _on_the_way(line, evidence.topic.earlier, way)
    if told and _writes_argument(line, evidence):
        told = tuple(one for one in told if one.what != "node")
    return (Fit("form", None, said), *passed, *form, *_named(line, evidence), *told)


def _writes_argument(line: Line, evidence: Evidence) -> bool:
    """Whether a tensor is written that the function was given: it was made somewhere else."""
    name = writing.written(line) if evidence.topic.error in _WRITES else None
    return name is not None and (is_parameter(line, name) or may_be_anothers(line, name))


def _form(line: Line, evidence: Evidence) -> Iterator[Fit] | None:
    """What a statement's form says; None where it cannot be to blame."""
    topic = evidence.topic
    if not line.speaks:
        return None
    if topic.error in _WRITES and topic.name != "saved-tensor-detached":
        name = writing.written(line)
        return writes.pieces(line, name, evidence) if name is not None else None
    find = _OF_TOPICS.get(topic.name) or _GRAPHS.get(topic.error)
    if find is not None and topic.name not in ("hook-after-free", "checkpoint-not-necessary"):
        return find(line)
    defines = isinstance(line.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    if defines and "def " not in topic.suspects:
        return None
    if not topic.suspects or re.search(topic.suspects, line.code) is None:
        return None
    quiet = line.quiet and not topic.earlier
    mode = (Fit("mode", False, "gradients are not recorded here", 0.2),) if quiet else ()
    return iter(mode)


def _on_the_way(line: Line, earlier: bool, way: Way) -> Iterator[Fit]:
    raised = way.raised
    if raised is None:
        return
    filename = line.source.filename
    here = [one.row for one in (*way.steps, *way.forward) if one.filename == filename]
    if raised.filename == filename and raised.row in line.rows:
        yield Fit("raised", True, "it was raised here", 2.0 if earlier else 40.0)
    elif any(row in line.rows for row in here):
        yield Fit("passed", True, "the traceback leads by it", 3.0)
    elif not earlier:
        yield Fit("raised", False, "it was not raised here", 0.1)
    elif any(_around(line, row) for row in here):
        yield Fit("passed", True, "the traceback leads by its function", 2.0)
    elif not here:
        yield Fit("passed", None, "the traceback does not lead by its file", 0.5)


def _around(line: Line, row: int) -> bool:
    function = line.function
    return function is not None and function.lineno <= row <= (function.end_lineno or 0)


def _named(line: Line, evidence: Evidence) -> Iterator[Fit]:
    """Whether a statement has the name that the message has."""
    named = evidence.named
    if evidence.topic.error in _WRITES:
        return
    words = set(re.findall(r"[A-Za-z_]\w*", line.code))
    for name in filter(None, (named.subject, named.node)):
        short = name.rpartition(".")[2]
        if any(nodes.same(short, word) for word in words):
            yield Fit("subject", True, f"it has `{short}`, which the message names", 8.0)


def _finding(line: Line, evidence: Evidence) -> Finding:
    from autograd_lint.rules.registry import by_code_or_name

    topic = evidence.topic
    rule = by_code_or_name(topic.codes[0])
    place = line.source.place(line.node)
    if place.end_row not in line.rows:
        last = line.rows[-1]
        end = len(line.source.lines[last - 1]) + 1
        place = Place(place.filename, place.row, place.column, last, end)
    return Finding(
        topic.codes[0],
        rule.name if rule is not None else topic.name,
        f"this could be to blame: {topic.said}",
        place,
        certainty=Certainty.POSSIBLE,
        label="one of the statements of this form",
        help=topic.causes[0] if topic.causes else "",
        predicts=Prediction(topic.error.value, None, None),
        noqa_row=place.row,
    )
