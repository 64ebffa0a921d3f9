"""Statements that write a tensor in place, and what speaks for it that this one did harm."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.diagnosis import nodes
from autograd_lint.diagnosis.evidence import Evidence
from autograd_lint.diagnosis.fitting import Fit
from autograd_lint.diagnosis.suspects.code import (
    ALIASES,
    Line,
    called,
    is_argument_by_another_name,
    is_parameter,
    made,
    read_at,
    spelt,
)
from autograd_lint.diagnosis.suspects.code import unpacked as was_unpacked
from autograd_lint.engine.faults import FaultKind

_METHOD = re.compile(r"^(?!__)[a-z]\w*[a-z0-9]_$")
_HARMLESS = frozenset({"requires_grad_", "share_memory_", "retain_grad_", "train_"})
_FRESH = re.compile(
    r"^(?:zeros|ones|empty|full|rand|randn)(?:_like)?$|^new_\w+$|^(?:arange|eye|tensor|linspace)$"
)
_PLAIN = re.compile(r"\b(?:np|numpy|math|random|os|dict|list|set|str|int|len|range|Counter)\b[.(]")
_PARTS = frozenset({"chunk", "split", "unbind", "split_with_sizes", "tensor_split", "iter"})
_COUNTER = re.compile(
    r"(?:^|\.)(?:[ijkn]|key|name|(?:global_)?step|count\w*|num\w*|n_\w+|epoch|iter\w*|\w+_(?:count|steps?|idx))$"
)
_INITIAL = re.compile(r"\binit\.\w+_\(|\.(?:normal|uniform|xavier\w*|kaiming\w*)_\(")
_OF_WEIGHTS = frozenset({"t", "asstrided", "transpose", "permute"})
_WEIGHTS = re.compile(r"\b(?:weight|bias|param\w*|p|w|b|W|theta|parameters)\b")


def written(line: Line) -> str | None:
    """The name of the tensor that a statement writes in place; empty for one without a name, None
    where it writes none."""
    node = line.node
    if isinstance(node, ast.AugAssign):
        return None if _has_text_key(node.target) else _root(node.target)
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return None if _has_text_key(node.targets[0]) else _root(node.targets[0])
    for part in line.parts:
        if isinstance(part, ast.Call):
            name = _of_call(part)
            if name is not None:
                return name
    return None


def _has_text_key(node: ast.expr) -> bool:
    """Whether an element of a dictionary is bound, by a key that is a text."""
    keys = (part.slice for part in ast.walk(node) if isinstance(part, ast.Subscript))
    return any(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys)


def _of_call(call: ast.Call) -> str | None:
    function = call.func
    for keyword in call.keywords:
        if keyword.arg == "inplace" and getattr(keyword.value, "value", False) is True:
            return _root(call.args[0]) if call.args else ""
        if keyword.arg == "out":
            return _root(keyword.value)
    if isinstance(function, ast.Attribute):
        if _METHOD.match(function.attr) and _is_operator(function):
            is_function = spelt(function.value) in (
                "init",
                "nn.init",
                "torch.nn.init",
                "F",
                "torch",
            )
            return _root(call.args[0]) if is_function and call.args else _root(function.value)
        if function.attr == "step" and not call.args:
            return "step()"
    return None


def _is_operator(function: ast.Attribute) -> bool:
    """Whether a method with the name of a write is one of tensors, and writes."""
    from autograd_lint.operators.table import load

    if function.attr in _HARMLESS or spelt(function.value) == "self":
        return False
    initial = (spelt(function.value) or "").rpartition(".")[2] == "init"
    return initial or load().is_tensor_method(function.attr)


def _root(node: ast.expr) -> str:
    """The name under indices, views and calls."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr == "data":
            node = node.value
        else:
            return spelt(node) or ""


def pieces(line: Line, name: str, evidence: Evidence) -> Iterator[Fit]:
    """What speaks for and against a write of `name`."""
    origin = made(line, name) if name else None
    if name == "step()":
        yield from _step(evidence)
        return
    if _INITIAL.search(line.code) and evidence.topic.error is FaultKind.SAVED_TENSOR_MODIFIED:
        yield Fit("written", False, "it sets initial values", 0.1)
        return
    if _is_no_tensor(line, name, origin):
        yield Fit("written", False, f"`{name}` does not look like a tensor", 0.1)
        return
    error = evidence.topic.error
    if error is FaultKind.VIEW_MODIFIED:
        yield from _of_parts(line, name, origin, evidence)
    elif error is FaultKind.SAVED_TENSOR_MODIFIED:
        yield from _saved(line, name, origin, evidence)
    elif error in (FaultKind.LEAF_MODIFIED, FaultKind.LEAF_VIEW_MODIFIED):
        yield from _of_leaf(line, name, origin)


def _step(evidence: Evidence) -> Iterator[Fit]:
    if evidence.topic.error is not FaultKind.SAVED_TENSOR_MODIFIED:
        yield Fit("written", False, "a step runs without a graph", 0.1)
        return
    named = evidence.named
    if named.version is None:
        yield Fit("written", None, "a step writes parameters", 0.8)
    elif named.node is None or named.node.lower() in _OF_WEIGHTS:
        yield Fit("written", True, "a step writes parameters, as the tensor may be one", 3.0)
    else:
        yield Fit("written", False, f"a step writes parameters, no results of {named.node}", 0.1)


def _is_no_tensor(line: Line, name: str, origin: ast.expr | None) -> bool:
    if isinstance(
        origin, (ast.Constant, ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.JoinedStr)
    ):
        return True
    if origin is not None and _PLAIN.search(ast.unparse(origin)):
        return True
    code, value = line.code, getattr(line.node, "value", None)
    if _PLAIN.search(code) and "torch" not in code:
        return True
    texts = (part for part in ast.walk(value) if isinstance(part, ast.Constant)) if value else ()
    if isinstance(line.node, ast.AugAssign) and any(isinstance(one.value, str) for one in texts):
        return True
    if isinstance(line.node, ast.AugAssign) and _COUNTER.search(name):
        return True
    counts = isinstance(line.node, ast.AugAssign) and isinstance(line.node.value, ast.Constant)
    return counts and origin is None and not is_parameter(line, name)


def _saved(line: Line, name: str, origin: ast.expr | None, evidence: Evidence) -> Iterator[Fit]:
    node, makers = evidence.named.node, called(origin)
    if node is not None and origin is not None:
        if any(nodes.same(node, one) for one in makers):
            yield Fit("node", True, f"`{name}` is made by what makes the node {node}", 8.0)
        elif makers and all(nodes.same(node, one) is False for one in makers):
            yield Fit("node", False, f"`{name}` is not made by what makes the node {node}", 0.25)
    if node is not None and any(nodes.same(node, one) for one in _writers(line)):
        yield Fit("node", True, f"the write itself makes the node {node}", 4.0)
    if makers and _FRESH.match(makers[0]):
        yield Fit("made", None, f"`{name}` was created from plain numbers", 0.6)
    elif makers and _keeps_result(makers[0]):
        yield Fit("made", True, f"`{makers[0]}` saves its result, which is `{name}`", 4.0)
    row = read_at(line, name) if name else None
    if row is not None:
        yield Fit("read", True, f"`{name}` is read in line {row} before it is written", 3.0)
    elif makers and not _is_operator_name(makers[0]):
        yield Fit("made", True, f"`{makers[0]}` may keep its result, which is `{name}`", 2.0)
    elif name and is_parameter(line, name):
        yield Fit("written", True, f"`{name}` is an argument: its caller's tensor is written", 1.5)
    elif name and origin is not None:
        yield Fit("read", False, f"nothing reads `{name}` before it is written", 0.3)
    if name and is_argument_by_another_name(line, name):
        said = f"`{name}` may be the memory of an argument: its caller's tensor is written"
        yield Fit("argument", True, said, 2.0)
    if name and _in_value(line, name):
        yield Fit("own", True, f"`{name}` is written with what was computed from it", 2.0)
    if line.quiet:
        yield Fit("mode", None, "gradients are not recorded here, but the version counts", 0.6)
    if ".data" in line.code:
        yield Fit("written", False, "`.data` has a version of its own", 0.1)
    elif ".grad" in line.code:
        yield Fit("written", False, "a gradient is written", 0.3)
    if makers and makers[-1] in ALIASES and origin is not None:
        yield Fit("alias", True, f"`{name}` may be another tensor's memory", 1.5)
    if evidence.named.dtype in ("int", "bool") and re.search(r"idx|ind|label|mask|target", name):
        yield Fit("dtype", True, f"`{name}` sounds like whole numbers", 3.0)


def _is_operator_name(name: str) -> bool:
    from autograd_lint.operators.table import load

    found = load().find(f"torch.{name}") or load().find(f"torch.nn.functional.{name}")
    return found is not None or load().is_tensor_method(name)


def _writers(line: Line) -> list[str]:
    """The operators by which a statement writes."""
    node = line.node
    if isinstance(node, ast.AugAssign):
        return [{ast.Mult: "mul", ast.Add: "add", ast.Sub: "sub", ast.Div: "div"}.get(
            type(node.op), "")]  # fmt: skip
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return ["setitem"]
    return [one.rstrip("_") for one in called(getattr(node, "value", None)) if one.endswith("_")]


def _keeps_result(operator: str) -> bool:
    """Whether an operator keeps its own result for backward, as the table has it."""
    from autograd_lint.operators.table import load

    found = load().find(f"torch.{operator}") or load().find(f"torch.nn.functional.{operator}")
    return found is not None and any(save.is_result for form in found.forms for save in form.saves)


def _in_value(line: Line, name: str) -> bool:
    value = getattr(line.node, "value", None)
    if isinstance(line.node, ast.Expr) and isinstance(value, ast.Call):
        inside = " ".join(ast.unparse(one) for one in value.args)
    else:
        inside = ast.unparse(value) if value is not None else ""
    return re.search(rf"(?<![\w.]){re.escape(name)}\b", inside) is not None


def _writes_part(line: Line) -> bool:
    """Whether a statement computes a part of a tensor in place: `x[0] += 1`."""
    node = line.node
    return isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript)


def _of_parts(line: Line, name: str, origin: ast.expr | None, evidence: Evidence) -> Iterator[Fit]:
    makers, node = called(origin), evidence.named.node
    if node is not None and any(nodes.same(node, one) for one in makers):
        yield Fit("node", True, f"`{name}` is made by what makes the node {node}", 10.0)
    elif node is not None and _writes_part(line) and nodes.same(node, "getitem"):
        yield Fit("node", True, f"what is written of `{name}` is a {node}", 6.0)
    elif any(one in _PARTS for one in makers):
        # Where the message names a node, it is not the one that such an operator makes.
        ratio = 6.0 if node is None else 2.0
        yield Fit("made", True, f"`{name}` is one of several views", ratio)
    if name and was_unpacked(line, name):
        yield Fit("made", True, f"`{name}` is taken out of several", 4.0)
    elif name and is_parameter(line, name):
        yield Fit("written", True, f"`{name}` is an argument, and may be a view", 3.0)
    if makers and _FRESH.match(makers[0]):
        yield Fit("made", False, f"`{name}` is created from plain numbers", 0.3)
    if line.quiet:
        yield Fit("mode", False, "gradients are not recorded here", 0.2)


def _is_registered(line: Line, name: str) -> bool:
    """Whether the file makes an attribute a parameter."""
    made_so = rf"{re.escape(name)}\s*=\s*(?:torch\.)?(?:nn\.)?Parameter\("
    return name.startswith("self.") and re.search(made_so, line.source.text) is not None


def _of_leaf(line: Line, name: str, origin: ast.expr | None) -> Iterator[Fit]:
    if line.quiet or ".data" in line.code:
        yield Fit("mode", False, "gradients are not recorded here", 0.15)
    if _WEIGHTS.search(name) or _is_registered(line, name):
        yield Fit("written", True, f"`{name}` may be a parameter", 4.0)
    elif is_parameter(line, name) or is_argument_by_another_name(line, name):
        yield Fit("written", True, f"`{name}` is an argument: its caller's tensor is written", 3.0)
    elif name.startswith("self."):
        yield Fit("written", None, f"`{name}` may hold a leaf", 1.5)
    makers = called(origin)
    if (
        makers
        and _FRESH.match(makers[0])
        and "requires_grad" not in ast.unparse(origin or line.node)
    ):
        yield Fit("made", False, f"`{name}` is created from plain numbers", 0.3)
    if makers and makers[0] in ALIASES:
        yield Fit("alias", True, f"`{name}` may be the very tensor that it is made of", 2.0)
