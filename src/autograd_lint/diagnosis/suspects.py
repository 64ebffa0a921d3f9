"""Statements that could be to blame by their form alone, where no run shows what went wrong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lint.diagnosis import nodes
from autograd_lint.diagnosis.evidence import Evidence
from autograd_lint.diagnosis.fitting import Fit, Way
from autograd_lint.engine.faults import FaultKind
from autograd_lint.findings import Finding, Prediction
from autograd_lint.levels import Certainty
from autograd_lint.project.reading import UNREADABLE
from autograd_lint.project.source import Source

_BASE = 0.5
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Delete, ast.Raise)
Function = ast.FunctionDef | ast.AsyncFunctionDef
# Tensors that are made anew of numbers: writing them changes nothing that was computed.
_FRESH = re.compile(r"\b(?:zeros|ones|empty|full|zeros_like|ones_like|empty_like|new_\w+|arange)\(")
_COUNTS = re.compile(r"^\s*\w+\s*[-+]=\s*\d+\s*$|\.append\(|\.update\(|\[\s*['\"]")
_NUMBER = re.compile(r"[-\d.\[{(]")
_UNDER = re.compile(r"no_grad|inference_mode")


@dataclass(frozen=True, slots=True)
class Suspect:
    """A statement, and what speaks for and against it."""

    finding: Finding
    pieces: tuple[Fit, ...]
    base: float = _BASE


def suspects(source: Source, evidence: Evidence, way: Way) -> Iterator[Suspect]:
    """The statements of a file that could be to blame for an error."""
    pattern = evidence.topic.suspects
    if not pattern or not re.search(pattern, source.text):
        return
    try:
        tree = source.tree
    except UNREADABLE:
        return
    form = re.compile(pattern)
    for function, statement, silent in _statements(tree, None, False):
        code = _head(source, statement)
        if form.search(code):
            yield _suspect(source, function, statement, code, evidence, way, silent)


def _statements(
    node: ast.AST, function: Function | None, silent: bool
) -> Iterator[tuple[Function | None, ast.stmt, bool]]:
    """The statements below a node, each with its function, and whether it runs without a graph."""
    for child in ast.iter_child_nodes(node):
        inside, quiet = function, silent
        if isinstance(child, Function):
            quiet = any(_UNDER.search(ast.unparse(one)) for one in child.decorator_list)
            inside = child
        elif isinstance(child, (ast.With, ast.AsyncWith)):
            quiet = silent or any(_UNDER.search(ast.unparse(one)) for one in child.items)
        if isinstance(child, (ast.stmt, ast.ExceptHandler)):
            if isinstance(child, ast.stmt):
                yield inside, child, quiet
            yield from _statements(child, inside, quiet)
        elif isinstance(child, ast.match_case):
            yield from _statements(child, inside, quiet)


def _head(source: Source, statement: ast.stmt) -> str:
    """The code of a simple statement, or the first line of a compound one."""
    lines = source.lines
    last = statement.end_lineno if isinstance(statement, _SIMPLE) else statement.lineno
    return "\n".join(lines[statement.lineno - 1 : last])


def _suspect(
    source: Source,
    function: Function | None,
    statement: ast.stmt,
    code: str,
    evidence: Evidence,
    way: Way,
    silent: bool,
) -> Suspect:
    topic = evidence.topic
    said = "by its form it can be to blame; no run of the analysis shows it"
    pieces = [Fit("form", None, said)]
    pieces += _on_the_way(source, function, statement, topic.earlier, way)
    if topic.error is FaultKind.SAVED_TENSOR_MODIFIED:
        pieces += _written(source, function, statement, code, evidence)
    elif silent and not topic.earlier:
        pieces.append(Fit("mode", False, "gradients are not recorded here", 0.2))
    pieces += _named(code, evidence)
    return Suspect(_finding(source, statement, evidence, code), tuple(pieces))


def _on_the_way(
    source: Source, function: Function | None, statement: ast.stmt, earlier: bool, way: Way
) -> Iterator[Fit]:
    last = statement.end_lineno or statement.lineno
    if not isinstance(statement, _SIMPLE):
        last = statement.lineno
    raised = way.raised
    if raised is None:
        return
    here = [one.row for one in (*way.steps, *way.forward) if one.filename == source.filename]
    if raised.filename == source.filename and statement.lineno <= raised.row <= last:
        yield Fit("raised", True, "it was raised here", 2.0 if earlier else 40.0)
    elif any(statement.lineno <= row <= last for row in here):
        yield Fit("passed", True, "the traceback leads by it", 3.0)
    elif not earlier and not here:
        yield Fit("raised", False, "the traceback does not come by here", 0.05)
    elif any(_around(function, row) for row in here):
        yield Fit("passed", True, "the traceback leads by its function", 2.0)
    elif not here:
        yield Fit("passed", None, "the traceback does not lead by its file", 0.5)


def _around(function: Function | None, row: int) -> bool:
    return function is not None and function.lineno <= row <= (function.end_lineno or 0)


def _written(
    source: Source,
    function: Function | None,
    statement: ast.stmt,
    code: str,
    evidence: Evidence,
) -> Iterator[Fit]:
    """What is known of the tensor that a statement writes."""
    name = _target(statement)
    made = _made(function, name, statement) if name and function is not None else None
    if _COUNTS.search(code) and (made is None or _NUMBER.match(made)):
        yield Fit("written", False, "it counts or gathers, and writes no tensor", 0.1)
        return
    if ".step(" in code:
        parameters = evidence.named.node is None or evidence.named.node.lower() in (
            "t", "asstrided", "transpose", "permute",
        )  # fmt: skip
        known = evidence.named.version is not None
        ratio = (3.0 if parameters else 0.1) if known else 0.7
        yield Fit("written", parameters if known else None, "a step writes parameters", ratio)
        return
    if made is None:
        return
    if _FRESH.search(made):
        yield Fit("written", False, f"`{name}` is made of plain numbers", 0.5)
        return
    node = evidence.named.node
    if node is None:
        return
    operators = set(re.findall(r"(\w+)\s*\(", made)) | _arithmetic(made)
    if any(nodes.same(node, one) for one in operators):
        yield Fit("node", True, f"`{name}` is made by what makes the node {node}", 8.0)
    elif operators and all(nodes.same(node, one) is False for one in operators):
        yield Fit("node", False, f"`{name}` is not made by what makes the node {node}", 0.3)


def _arithmetic(code: str) -> set[str]:
    signs = {"*": "mul", "/": "div", "+": "add", "-": "sub", "**": "pow", "@": "matmul"}
    return {name for sign, name in signs.items() if f" {sign} " in code}


def _target(statement: ast.stmt) -> str | None:
    """The name of the tensor that a statement writes in place."""
    node: ast.expr | None = None
    if isinstance(statement, ast.AugAssign):
        node = statement.target
    elif isinstance(statement, ast.Assign):
        node = statement.targets[0]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        node = called.value if isinstance(called, ast.Attribute) else None
    while isinstance(node, (ast.Subscript, ast.Call)):
        node = node.value if isinstance(node, ast.Subscript) else node.func
        if isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Name):
            node = node.value
    return ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else None


def _made(function: Function, name: str, before: ast.stmt) -> str | None:
    """The code of what a name was last bound to before a statement."""
    found = None
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and node is not before and node.lineno <= before.lineno:
            targets = [one for target in node.targets for one in _flat(target)]
            if name in targets and (found is None or node.lineno > found.lineno):
                found = node
    return ast.unparse(found.value) if found is not None else None


def _flat(target: ast.expr) -> list[str]:
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return [ast.unparse(part) for part in parts if not isinstance(part, ast.Subscript)]


def _named(code: str, evidence: Evidence) -> Iterator[Fit]:
    """Whether a statement has the name that the message has."""
    named = evidence.named
    if evidence.topic.error is FaultKind.SAVED_TENSOR_MODIFIED:
        return
    words = set(re.findall(r"[A-Za-z_]\w*", code))
    for name in filter(None, (named.subject, named.node)):
        short = name.rpartition(".")[2]
        if any(nodes.same(short, word) for word in words):
            yield Fit("subject", True, f"it has `{short}`, which the message names", 8.0)


def _finding(source: Source, statement: ast.stmt, evidence: Evidence, code: str) -> Finding:
    from autograd_lint.rules.registry import by_code_or_name

    topic = evidence.topic
    rule = by_code_or_name(topic.codes[0])
    name = rule.name if rule is not None else topic.name
    place = source.place(statement)
    if not isinstance(statement, _SIMPLE):
        end = len(source.lines[statement.lineno - 1]) + 1
        place = type(place)(place.filename, place.row, place.column, place.row, end)
    return Finding(
        topic.codes[0],
        name,
        f"this could be to blame: {topic.said}",
        place,
        certainty=Certainty.POSSIBLE,
        label="one of the statements of this form",
        help=topic.causes[0] if topic.causes else "",
        predicts=Prediction(topic.error.value, None, None),
        noqa_row=place.row,
    )
