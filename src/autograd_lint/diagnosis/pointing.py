"""Where what an error is about comes from: the lines above the one that raises.

A finding that knows no other line than the one that raises is given the lines in which its tensor
was computed; one about a custom Function is given the Function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from autograd_lint.diagnosis.evidence import Evidence
from autograd_lint.diagnosis.suspects.code import Line, lines
from autograd_lint.engine.faults import FaultKind
from autograd_lint.findings import Finding, Related
from autograd_lint.places import Place
from autograd_lint.project.reading import UNREADABLE
from autograd_lint.project.source import Source

_HOPS = 2
_FEW = 2
_FREEZES = re.compile(r"\.requires_grad\s*=\s*False$|\.requires_grad_\(False\)$")
_ABOUT_TENSORS = {
    FaultKind.NO_GRAD_ROOT,
    FaultKind.UNUSED_INPUT,
    FaultKind.VIEW_MODIFIED,
    FaultKind.INFERENCE_TENSOR,
    FaultKind.NON_LEAF_FLAG,
    FaultKind.OTHER,
}
_CALLBACKS = ("forward", "backward", "vjp", "jvp", "setup_context")


def pointed(finding: Finding, source: Source, evidence: Evidence) -> Finding:
    """The finding with the places where what it is about comes from."""
    try:
        if finding.code == "AG601":
            found = list(_of_function(finding, source, evidence))
        elif evidence.topic.error in _ABOUT_TENSORS:
            found = [] if finding.related else list(_origins(finding, source))
        else:
            return finding
        if evidence.topic.error is FaultKind.NO_GRAD_ROOT:
            found += _frozen(source)
    except UNREADABLE:
        return finding
    told = {one.place.row for one in finding.related} | {finding.place.row}
    fresh = tuple(one for one in found if one.place.row not in told)
    return replace(finding, related=(*finding.related, *fresh))


def _origins(finding: Finding, source: Source) -> Iterator[Related]:
    every = list(lines(source))
    at = next((one for one in every if finding.place.row in one.rows), None)
    for _ in range(_HOPS):
        if at is None:
            return
        above = _bound_above(at, every)
        if above is None:
            return
        yield Related("built", "assigned here", source.place(above.node))
        inside = _returned(above, every)
        if inside is not None:
            yield Related("built", "returned here", source.place(inside.node))
        at = above


def _frozen(source: Source) -> list[Related]:
    """Where a file freezes parameters, unless it does so all over the place: with all of them
    frozen nothing is left that a loss could have a graph to."""
    found = [one for one in lines(source) if _FREEZES.search(one.code)]
    said = "parameters are frozen here"
    few = found if len(found) <= _FEW else []
    return [Related("built", said, source.place(one.node)) for one in few]


def _bound_above(line: Line, every: list[Line]) -> Line | None:
    """The last statement before a line that binds a name which the line reads."""
    names = {part.id for part in line.parts if isinstance(part, ast.Name)}
    names |= {
        part.attr
        for part in line.parts
        if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "self"
    }
    found = [
        one
        for one in every
        if one.node.lineno < line.node.lineno
        and one.function is line.function
        and isinstance(one.node, (ast.Assign, ast.AugAssign, ast.AnnAssign))
        and names & _bound(one.node)
    ]
    return max(found, key=lambda one: one.node.lineno, default=None)


def _bound(node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    parts = [part for target in targets for part in ast.walk(target)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names | {part.attr for part in parts if isinstance(part, ast.Attribute)}


def _returned(line: Line, every: list[Line]) -> Line | None:
    """Where a function of the file gives back what a statement binds."""
    names = {
        part.func.id
        for part in line.parts
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
    }
    for one in every:
        inside = one.function is not None and one.function.name in names
        if inside and isinstance(one.node, ast.Return) and one.node.value is not None:
            return one
    return None


def _of_function(finding: Finding, source: Source, evidence: Evidence) -> Iterator[Related]:
    """The methods of the Function that a finding is about, those that the message names first."""
    named = evidence.named
    words = set(re.findall(r"\w+", finding.message))
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ClassDef) or not (
            node.name in words or node.name in (named.node, _called(finding, source))
        ):
            continue
        yield Related("built", f"`{node.name}` is defined here", _head(source, node))
        yield from _methods(node, source, named.subject)


def _called(finding: Finding, source: Source) -> str | None:
    """The Function that a line applies."""
    code = source.text_of(finding.place.row, finding.place.end_row)
    found = re.search(r"(\w+)\.apply\(", code)
    return found[1] if found else None


def _methods(node: ast.ClassDef, source: Source, subject: str | None) -> Iterator[Related]:
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    methods = [one for one in methods if one.name in _CALLBACKS]
    uses = any(_calls(part, subject) for one in methods for part in ast.walk(one))
    if not uses and subject not in {one.name for one in methods}:
        for method in methods:
            said = f"`{method.name}` is defined here"
            yield Related("built", said, _head(source, method))
    for method in methods:
        calls = [part for part in ast.walk(method) if _calls(part, subject)]
        for call in calls[:1]:
            yield Related("built", f"`{subject}` is used here", source.place(call))
        if method.name == subject:
            yield Related("built", f"`{subject}` is defined here", _head(source, method))


def _calls(node: ast.AST, name: str | None) -> bool:
    return isinstance(node, ast.Attribute) and name is not None and name in node.attr


def _head(source: Source, node: ast.ClassDef | ast.FunctionDef) -> Place:
    place = source.place(node)
    line = source.lines[node.lineno - 1]
    return Place(place.filename, place.row, place.column, place.row, len(line) + 1)
