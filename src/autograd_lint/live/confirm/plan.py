"""Which witnesses can show a finding."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from autograd_lint.findings import Finding
from autograd_lint.live.confirm.jobs import Harness, Job
from autograd_lint.live.confirm.slices import slice_of

_PASSIVE = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def entry_file(finding: Finding) -> str:
    """The file whose run raises: where it is not that of the finding, it is the one to run."""
    predicted = finding.predicts.filename if finding.predicts else None
    return predicted or finding.place.filename


def jobs_for(finding: Finding, text: str, base: Job) -> Iterator[Job]:
    """The jobs to try, the nearest to the user's program first. Raises SyntaxError."""
    tree = ast.parse(text)
    wanted = finding.predicts.error if finding.predicts else ""
    base = replace(base, wanted=wanted, goal=_goal(finding))
    if runs_itself(tree):
        yield base
        yield replace(base, stand_ins=True)
    if base.filename != finding.place.filename:
        return
    filename = finding.place.filename
    places = [finding.place, *(other.place for other in finding.related)]
    jobs: dict[Job, None] = {}
    for place in places:
        if place.filename == filename:
            jobs.update(dict.fromkeys(_harnesses(enclosing(tree, place.row), base)))
    for job in jobs:
        yield job
        yield replace(job, input_grad=True)
    yield from _slices(tree, replace(base, goal=_rows(finding)))


_LEAVES = ("leaf-modified", "leaf-view-modified")
_GENERATIONS = (2, 0)


def _slices(tree: ast.Module, base: Job) -> Iterator[Job]:
    """Slices around the goal, with more and with fewer of the definitions before it."""
    leaves = base.wanted in _LEAVES
    seen: list[str] = []
    for generations in _GENERATIONS:
        cut = slice_of(tree, base.goal, generations)
        text = ast.unparse(ast.Module(cut.statements, [])) if cut is not None else ""
        if text and text not in seen:
            seen.append(text)
            job = replace(base, harness=Harness.SLICE, generations=generations, leaves=leaves)
            if not leaves:
                yield job
            yield replace(job, input_grad=True)


def _goal(finding: Finding) -> tuple[int, ...]:
    """The rows that a driven function is to reach: those that save and write, in its file."""
    filename = finding.place.filename
    places = [other.place for other in finding.related if other.role != "needed"]
    rows = {place.row for place in [finding.place, *places] if place.filename == filename}
    return tuple(sorted(rows))


def _rows(finding: Finding) -> tuple[int, ...]:
    """All rows that the finding speaks of in its file, its own first."""
    filename = finding.place.filename
    rows = [finding.place.row]
    rows += [other.place.row for other in finding.related if other.place.filename == filename]
    predicted = finding.predicts
    if predicted is not None and predicted.row is not None and predicted.filename == filename:
        rows.append(predicted.row)
    return tuple(dict.fromkeys(rows))


def runs_itself(tree: ast.Module) -> bool:
    """Whether importing the file, or running it, does something."""
    return any(_acts(statement) for statement in tree.body)


def _acts(statement: ast.stmt) -> bool:
    if isinstance(statement, _PASSIVE):
        return False
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return any(isinstance(node, ast.Call) for node in ast.walk(statement))
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant)
    return not isinstance(statement, ast.Try)


def enclosing(tree: ast.AST, row: int) -> list[Definition]:
    """The classes and functions around a row, the outermost first."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if node.lineno <= row <= (node.end_lineno or node.lineno):
            return [node, *(one for child in node.body for one in enclosing(child, row))]
    return []


def _harnesses(chain: list[Definition], base: Job) -> Iterator[Job]:
    if not chain:
        return
    outer = chain[0]
    if not isinstance(outer, ast.ClassDef):
        yield replace(base, harness=Harness.FUNCTION, target=outer.name)
        return
    methods = [node for node in chain[1:] if not isinstance(node, ast.ClassDef)]
    if _has_forward(outer):
        yield replace(base, harness=Harness.MODULE, target=outer.name)
    if methods and methods[0].name not in ("__init__", "forward"):
        yield replace(base, harness=Harness.METHOD, target=outer.name, method=methods[0].name)


def _has_forward(node: ast.ClassDef) -> bool:
    return any(isinstance(item, ast.FunctionDef) and item.name == "forward" for item in node.body)
