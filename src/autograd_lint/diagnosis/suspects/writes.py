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
    dimensions,
    is_argument_by_another_name,
    is_parameter,
    made,
    may_be_anothers,
    set_elsewhere,
    spelt,
)
from autograd_lint.diagnosis.suspects.code import unpacked as was_unpacked
from autograd_lint.diagnosis.suspects.named_node import (
    FRESH,
    OF_WEIGHTS,
    is_operator,
    keeps_result,
    of_node,
    without_node,
)
from autograd_lint.diagnosis.suspects.saving import read_at, saved_at, saves
from autograd_lint.diagnosis.suspects.tensors import DTYPES, is_no_tensor
from autograd_lint.diagnosis.suspects.writing import (
    counts,
    replaces_element,
    temporary,
    writes_part,
)
from autograd_lint.engine.faults import FaultKind

_PARTS = frozenset({"chunk", "split", "unbind", "split_with_sizes", "tensor_split", "iter"})
_INITIAL = re.compile(r"\binit\.\w+_\(|\.(?:normal|uniform|xavier\w*|kaiming\w*)_\(")
_PARAMETER = re.compile(r"(?:torch\.)?(?:nn\.)?Parameter\(")
_WEIGHTS = re.compile(r"\b(?:weight|bias|param\w*|p|w|b|W|theta|parameters)\b")


def pieces(line: Line, name: str, evidence: Evidence) -> Iterator[Fit]:
    """What speaks for and against a write of `name`."""
    origin = made(line, name) if name else None
    nameless = temporary(line)
    if nameless is not None:
        name, origin = "", nameless
    if name == "step()":
        yield from _step(evidence)
        return
    if _INITIAL.search(line.code) and evidence.topic.error is FaultKind.SAVED_TENSOR_MODIFIED:
        yield Fit("written", False, "it sets initial values", 0.1)
        return
    if is_no_tensor(line, name, origin):
        yield Fit("written", False, f"`{name}` does not look like a tensor", 0.1)
        return
    if counts(line) and evidence.named.dtype not in DTYPES:
        yield Fit("written", None, "a whole number is put in, as in what counts or indexes", 0.4)
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
    elif named.node is None or named.node.lower() in OF_WEIGHTS:
        yield Fit("written", True, "a step writes parameters, as the tensor may be one", 3.0)
    else:
        yield Fit("written", False, f"a step writes parameters, no results of {named.node}", 0.1)


def _saved(line: Line, name: str, origin: ast.expr | None, evidence: Evidence) -> Iterator[Fit]:
    """How what is written fits the saved tensor of the message, `origin` being what made it."""
    yield from _of_maker(line, name, origin, evidence)
    yield from _of_shape(line, name, evidence)
    yield from _of_reads(line, name, origin)
    yield from _of_write(line, name)
    makers = called(origin)
    if makers and _is_module(origin):
        yield Fit("made", True, f"`{name}` is what a module gives, which may keep it", 1.5)
    if makers and makers[-1] in ALIASES and origin is not None:
        yield Fit("alias", True, f"`{name}` may be another tensor's memory", 1.5)
    yield from _of_dtype(name, evidence.named.dtype)


def _of_maker(line: Line, name: str, origin: ast.expr | None, evidence: Evidence) -> Iterator[Fit]:
    """Whether what made the tensor saves its result, as the node of the message does."""
    makers = called(origin)
    node = evidence.named.node
    if node is not None and not (name and may_be_anothers(line, name)):
        yield from of_node(line, name, origin, node)
    elif evidence.named.version is not None and evidence.named.dtype == "float":
        yield from without_node(line, name, makers)
    if makers and FRESH.match(makers[0]):
        if node is not None:
            yield Fit("made", None, f"`{name}` was created from plain numbers", 0.6)
    elif makers and keeps_result(makers[0]):
        yield Fit("made", True, f"`{makers[0]}` saves its result, which is `{name}`", 4.0)
    elif not name and makers and is_operator(makers[0]):
        yield Fit("made", False, f"nothing keeps the result of `{makers[0]}`", 0.2)


def _of_reads(line: Line, name: str, origin: ast.expr | None) -> Iterator[Fit]:
    """Whether something reads the tensor, and may save it, before it is written."""
    makers = called(origin)
    row = saved_at(line, name) if name else None
    if row is not None:
        yield Fit("read", True, f"line {row} may save `{name}` before it is written", 3.0)
    elif name and (row := read_at(line, name)) is not None:
        yield Fit("read", None, f"line {row} reads `{name}` before it is written", 1.5)
    elif makers and not is_operator(makers[0]):
        yield Fit("made", True, f"`{makers[0]}` may keep its result, which is `{name}`", 2.0)
    elif name and is_parameter(line, name):
        yield Fit("written", True, f"`{name}` is an argument: its caller's tensor is written", 1.5)
    elif name and origin is not None and not (makers and keeps_result(makers[0])):
        yield Fit("read", False, f"nothing reads `{name}` before it is written", 0.3)


def _of_write(line: Line, name: str) -> Iterator[Fit]:
    """What kind of write it is, and whose memory it goes to."""
    if name and is_argument_by_another_name(line, name):
        said = f"`{name}` may be the memory of an argument: its caller's tensor is written"
        yield Fit("argument", True, said, 2.0)
    if name and replaces_element(line):
        yield Fit("own", None, f"an element of `{name}` is replaced, as in a list", 0.5)
    elif name and _in_value(line, name):
        yield Fit("own", True, f"`{name}` is written with what was computed from it", 2.0)
    if line.quiet:
        yield Fit("mode", None, "gradients are not recorded here, but the version counts", 0.6)
    if ".data" in line.code:
        yield Fit("written", False, "`.data` has a version of its own", 0.1)
    elif ".grad" in line.code:
        yield Fit("written", False, "a gradient is written", 0.3)


def _of_dtype(name: str, dtype: str | None) -> Iterator[Fit]:
    """Whether a name sounds like values of the dtype that the message has."""
    sounds = next((kind for kind, words in DTYPES.items() if words.search(name)), None)
    if sounds is not None and sounds == dtype:
        yield Fit("dtype", True, f"`{name}` sounds like {dtype}", 3.0)
    elif sounds is not None and dtype is None:
        yield Fit("dtype", None, f"`{name}` sounds like {sounds}, which has no gradient", 0.6)
    elif sounds is not None and dtype == "float":
        yield Fit("dtype", None, f"`{name}` sounds like {sounds}, not like {dtype}", 0.5)


def _of_shape(line: Line, name: str, evidence: Evidence) -> Iterator[Fit]:
    """Whether a tensor of that shape can be indexed as the function indexes what is written."""
    shape = evidence.named.shape
    count = dimensions(line, name) if name and shape is not None else 0
    if shape and name.endswith("loss"):
        yield Fit("shape", False, f"`{name}` sounds like one number, not like {list(shape)}", 0.4)
    if shape is None or count < 2:
        return
    if count > len(shape):
        said = f"`{name}` is of {count} dimensions or more, not of {len(shape)}"
        yield Fit("shape", False, said, 0.5)
    elif count == len(shape):
        yield Fit("shape", True, f"`{name}` is of {count} dimensions or more", 1.5)


def _in_value(line: Line, name: str) -> bool:
    """Whether a statement writes with what is computed from the very tensor, and keeps it."""
    value = getattr(line.node, "value", None)
    if isinstance(line.node, ast.Expr) and isinstance(value, ast.Call):
        return any(saves(one, name) for one in value.args)
    return value is not None and saves(value, name)


def _is_module(origin: ast.expr | None) -> bool:
    """Whether a value is what an attribute of `self` gives when it is called."""
    name = spelt(origin.func) if isinstance(origin, ast.Call) else None
    return name is not None and name.startswith("self.") and name.count(".") == 1


def _of_parts(line: Line, name: str, origin: ast.expr | None, evidence: Evidence) -> Iterator[Fit]:
    makers, node = called(origin), evidence.named.node
    if node is not None and any(nodes.same(node, one) for one in makers):
        yield Fit("node", True, f"`{name}` is made by what makes the node {node}", 10.0)
    elif node is not None and writes_part(line) and nodes.same(node, "getitem"):
        yield Fit("node", True, f"what is written of `{name}` is a {node}", 6.0)
    elif any(one in _PARTS for one in makers):
        # Where the message names a node, it is not the one that such an operator makes.
        ratio = 6.0 if node is None else 2.0
        yield Fit("made", True, f"`{name}` is one of several views", ratio)
    if name and was_unpacked(line, name):
        yield Fit("made", True, f"`{name}` is taken out of several", 4.0)
    elif name and is_parameter(line, name):
        yield Fit("written", True, f"`{name}` is an argument, and may be a view", 3.0)
    if makers and FRESH.match(makers[0]):
        yield Fit("made", False, f"`{name}` is created from plain numbers", 0.3)
    if line.quiet:
        yield Fit("mode", False, "gradients are not recorded here", 0.2)


def _is_registered(line: Line, name: str) -> bool:
    """Whether the file makes an attribute a parameter that requires grad."""
    values = (ast.unparse(one) for one in set_elsewhere(line, name))
    return any(_PARAMETER.match(one) and "requires_grad=False" not in one for one in values)


def _of_leaf(line: Line, name: str, origin: ast.expr | None) -> Iterator[Fit]:
    if line.quiet or re.search(r"\.data\b|\binit\.\w+_\(", line.code):
        yield Fit("mode", False, "gradients are not recorded here", 0.15)
    if not name and origin is not None:
        yield Fit("made", False, "an operator computed it: it is not a leaf", 0.2)
    if _WEIGHTS.search(name) or _is_registered(line, name):
        yield Fit("written", True, f"`{name}` may be a parameter", 4.0)
    elif is_parameter(line, name) or is_argument_by_another_name(line, name):
        yield Fit("written", True, f"`{name}` is an argument: its caller's tensor is written", 3.0)
    elif name.startswith("self."):
        yield Fit("written", None, f"`{name}` may hold a leaf", 1.5)
    elif not name and re.search(r"inplace=True", line.code):
        yield Fit("written", None, "a module that is made here may write a leaf", 1.5)
    makers = called(origin)
    if (
        makers
        and FRESH.match(makers[0])
        and "requires_grad" not in ast.unparse(origin or line.node)
    ):
        yield Fit("made", False, f"`{name}` is created from plain numbers", 0.3)
    if makers and makers[0] in ALIASES:
        yield Fit("alias", True, f"`{name}` may be the very tensor that it is made of", 2.0)
