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
    is_made_quietly,
    is_parameter,
    made,
    may_be_anothers,
    set_elsewhere,
    spelt,
)
from autograd_lint.diagnosis.suspects.code import unpacked as was_unpacked
from autograd_lint.diagnosis.suspects.saving import read_at, saved_at, saves
from autograd_lint.engine.faults import FaultKind

_NO_TENSORS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.JoinedStr, ast.Lambda)
_METHOD = re.compile(r"^(?!__)[a-z]\w*[a-z0-9]_$")
_HARMLESS = frozenset({"requires_grad_", "share_memory_", "retain_grad_", "train_"})
_FRESH = re.compile(
    r"^(?:zeros|ones|empty|full|rand|randn)(?:_like)?$|^new_\w+$|^(?:arange|eye|tensor|linspace)$"
)
_PLAIN = re.compile(r"\b(?:np|numpy|math|random|os|dict|list|set|str|int|len|range|Counter)\b[.(]")
_PARTS = frozenset({"chunk", "split", "unbind", "split_with_sizes", "tensor_split", "iter"})
_COUNTER = re.compile(
    r"(?:^|\.)(?:[ijkn]|key|name|(?:global_)?step|count\w*|num\w*|n_\w+|epoch|iter\w*|k?size|\w*stride|retry|seed"
    r"|n?dims?|idx|index|pos|offset|\w+_(?:count|steps?|idx|size|len|length|dim))$"
)
_TEXTS = re.compile(r"(?:^|[._])(?:name|key|field|attr|prefix|k)$")
_MAPPING = re.compile(r"dict|kwargs|config|cfg|param_group|mapping|lookup|registry|environ")
_WHOLE = {
    "int": re.compile(r"idx|_ind|index|indices|label|target|ids?\b|token"),
    "bool": re.compile(r"mask|done|valid|keep"),
}
_INITIAL = re.compile(r"\binit\.\w+_\(|\.(?:normal|uniform|xavier\w*|kaiming\w*)_\(")
_OF_WEIGHTS = frozenset({"t", "asstrided", "transpose", "permute"})  # and of other views
_LISTED = re.compile(r"(?:^|[._])(?:list|\w+_list|lines|texts|rewards)$")
_NUMBERS = re.compile(r"(?:^|\.)(?:len|int|float|dim|ndimension|size|numel|item|time|round)$")
_PARAMETER = re.compile(r"(?:torch\.)?(?:nn\.)?Parameter\(")
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
    keys = [part.slice for part in ast.walk(node) if isinstance(part, ast.Subscript)]
    return any(map(_is_text, keys)) or (bool(keys) and _MAPPING.search(_root(node)) is not None)


def _is_text(key: ast.expr) -> bool:
    """Whether a key is a text: it has one in it, or is named as one."""
    parts = list(ast.walk(key))
    texts = (part.value for part in parts if isinstance(part, ast.Constant))
    named = (spelt(part) or "" for part in parts if isinstance(part, (ast.Name, ast.Attribute)))
    return any(isinstance(one, str) for one in texts) or any(map(_TEXTS.search, named))


def _of_call(call: ast.Call) -> str | None:
    function = call.func
    for keyword in call.keywords:
        if keyword.arg == "inplace" and getattr(keyword.value, "value", False) is True:
            return "" if _makes_module(call) or not call.args else _root(call.args[0])
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


def _makes_module(call: ast.Call) -> bool:
    """Whether a call makes a module that writes, and writes nothing itself."""
    called = (spelt(call.func) or "").rpartition(".")[2]
    return (
        isinstance(call.func, ast.Call)
        or called[:1].isupper()
        or re.search(r"(?:^|_)(?:layer|act|norm)\w*$", called) is not None
    )


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
    temporary = _temporary(line)
    if temporary is not None:
        name, origin = "", temporary
    if name == "step()":
        yield from _step(evidence)
        return
    if _INITIAL.search(line.code) and evidence.topic.error is FaultKind.SAVED_TENSOR_MODIFIED:
        yield Fit("written", False, "it sets initial values", 0.1)
        return
    if _is_no_tensor(line, name, origin):
        yield Fit("written", False, f"`{name}` does not look like a tensor", 0.1)
        return
    if _counts(line) and evidence.named.dtype not in _WHOLE:
        yield Fit("written", None, "a whole number is put in, as in what counts or indexes", 0.4)
    error = evidence.topic.error
    if error is FaultKind.VIEW_MODIFIED:
        yield from _of_parts(line, name, origin, evidence)
    elif error is FaultKind.SAVED_TENSOR_MODIFIED:
        yield from _saved(line, name, origin, evidence)
    elif error in (FaultKind.LEAF_MODIFIED, FaultKind.LEAF_VIEW_MODIFIED):
        yield from _of_leaf(line, name, origin)


def _counts(line: Line) -> bool:
    """Whether a statement adds a whole number, or sets an element to one."""
    value = getattr(line.node, "value", None)
    return (
        isinstance(line.node, (ast.Assign, ast.AugAssign))
        and isinstance(value, ast.Constant)
        and type(value.value) is int
    )


def _temporary(line: Line) -> ast.Call | ast.BinOp | None:
    """What computes a tensor that is written where it is made, and has no name:
    `x.exp().add_(1)`, `(x - y).abs_()`."""
    for part in line.parts:
        function = part.func if isinstance(part, ast.Call) else None
        if isinstance(function, ast.Attribute) and _METHOD.match(function.attr):
            made_here = function.value
            while isinstance(made_here, ast.Call) and isinstance(made_here.func, ast.Attribute):
                if made_here.func.attr not in ALIASES and not made_here.func.attr.endswith("_"):
                    return made_here
                made_here = made_here.func.value
            if isinstance(made_here, ast.BinOp):
                return made_here
    return None


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
    made_so = origin is not None or isinstance(line.node, ast.AugAssign)
    if not made_so and _PLAIN.search(code) and "torch" not in code:
        return True
    if isinstance(value, _NO_TENSORS) or _LISTED.search(name) or _gives_text(value):
        return True
    if isinstance(line.node, ast.AugAssign) and (_COUNTER.search(name) or _gives_number(value)):
        return True
    counts = isinstance(line.node, ast.AugAssign) and isinstance(line.node.value, ast.Constant)
    return counts and origin is None and not is_parameter(line, name)


def _gives_number(value: ast.expr | None) -> bool:
    """Whether a value is a number of Python's, by the call that gives it: a size, a length."""
    called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    return _NUMBERS.search(called) is not None


def _gives_text(value: ast.expr | None) -> bool:
    """Whether a value is a text, by what is in it."""
    if value is None or isinstance(value, ast.Call):
        return False
    parts = [value.left, value.right] if isinstance(value, ast.BinOp) else [value]
    return any(
        isinstance(part, ast.JoinedStr)
        or (isinstance(part, ast.Constant) and isinstance(part.value, str))
        for part in parts
    )


def _saved(line: Line, name: str, origin: ast.expr | None, evidence: Evidence) -> Iterator[Fit]:
    makers = called(origin)
    node = evidence.named.node
    if node is not None and not (name and may_be_anothers(line, name)):
        yield from _of_node(line, name, origin, node)
    elif evidence.named.version is not None and evidence.named.dtype == "float":
        yield from _without_node(line, name, makers)
    if makers and _FRESH.match(makers[0]):
        if node is not None:
            yield Fit("made", None, f"`{name}` was created from plain numbers", 0.6)
    elif makers and _keeps_result(makers[0]):
        yield Fit("made", True, f"`{makers[0]}` saves its result, which is `{name}`", 4.0)
    elif not name and makers and _is_operator_name(makers[0]):
        yield Fit("made", False, f"nothing keeps the result of `{makers[0]}`", 0.2)
    yield from _of_shape(line, name, evidence)
    row = saved_at(line, name) if name else None
    if row is not None:
        yield Fit("read", True, f"line {row} may save `{name}` before it is written", 3.0)
    elif name and (row := read_at(line, name)) is not None:
        yield Fit("read", None, f"line {row} reads `{name}` before it is written", 1.5)
    elif makers and not _is_operator_name(makers[0]):
        yield Fit("made", True, f"`{makers[0]}` may keep its result, which is `{name}`", 2.0)
    elif name and is_parameter(line, name):
        yield Fit("written", True, f"`{name}` is an argument: its caller's tensor is written", 1.5)
    elif name and origin is not None and not (makers and _keeps_result(makers[0])):
        yield Fit("read", False, f"nothing reads `{name}` before it is written", 0.3)
    if name and is_argument_by_another_name(line, name):
        said = f"`{name}` may be the memory of an argument: its caller's tensor is written"
        yield Fit("argument", True, said, 2.0)
    if name and _replaces_element(line):
        yield Fit("own", None, f"an element of `{name}` is replaced, as in a list", 0.5)
    elif name and _in_value(line, name):
        yield Fit("own", True, f"`{name}` is written with what was computed from it", 2.0)
    if makers and _is_module(origin):
        yield Fit("made", True, f"`{name}` is what a module gives, which may keep it", 1.5)
    if line.quiet:
        yield Fit("mode", None, "gradients are not recorded here, but the version counts", 0.6)
    if ".data" in line.code:
        yield Fit("written", False, "`.data` has a version of its own", 0.1)
    elif ".grad" in line.code:
        yield Fit("written", False, "a gradient is written", 0.3)
    if makers and makers[-1] in ALIASES and origin is not None:
        yield Fit("alias", True, f"`{name}` may be another tensor's memory", 1.5)
    yield from _of_dtype(name, evidence.named.dtype)


def _of_node(line: Line, name: str, origin: ast.expr | None, node: str) -> Iterator[Fit]:
    """Whether the node that the message names is the one that the tensor has by then.

    A result that an operator keeps for itself has the node of that operator. Any other tensor that
    was kept has the node of what wrote it last, and where no gradients were recorded that of what
    made it (torch/csrc/autograd/saved_variable.cpp; before torch 1.10 always that of what made it).
    """
    elsewhere = set_elsewhere(line, name) if origin is None else []
    if line.quiet and name and is_made_quietly(line, name):
        yield Fit("node", False, f"`{name}` was made where nothing is recorded: no node", 0.05)
        return
    origin = _behind_aliases(line, origin)
    makers = [one for value in (origin, *elsewhere) for one in called(value)]
    made_so = [one for one in makers if nodes.same(node, one)]
    if made_so and (line.quiet or node.lower() in _OF_WEIGHTS or any(map(_keeps_result, made_so))):
        yield Fit("node", True, f"`{name}` is made by what makes the node {node}", 8.0)
    elif any(nodes.same(node, one) for one in _writers(line)) and not line.quiet:
        yield Fit("node", True, f"the write itself makes the node {node}", 8.0)
    elif made_so:
        yield Fit("node", True, f"`{name}` was made by what makes the node {node}", 2.0)
    elif not elsewhere and _makes_other(makers, node):
        yield Fit("node", False, f"`{name}` is not made by what makes the node {node}", 0.25)


def _makes_other(makers: list[str], node: str) -> bool:
    """Whether operators are at work, and none of them makes the node."""
    operators = [one for one in makers if one not in ALIASES and _is_operator_name(one)]
    return bool(operators) and all(nodes.same(node, one) is False for one in operators)


def _behind_aliases(line: Line, value: ast.expr | None) -> ast.expr | None:
    """What a tensor was computed by that a value is a view of, or the tensor itself."""
    name = spelt(value)
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in ALIASES:
            return value
        value = value.func.value
        name = spelt(value)
    return made(line, name) if name else value


def _without_node(line: Line, name: str, makers: list[str]) -> Iterator[Fit]:
    """The message names no node: the tensor is no result of an operator that was recorded."""
    if makers and not _FRESH.match(makers[0]) and _is_operator_name(makers[0]):
        said = f"`{makers[0]}` makes a node, where what it is given requires grad"
        yield Fit("node", False, said, 0.5)
    elif (makers and _FRESH.match(makers[0])) or name.startswith("self."):
        yield Fit("node", True, f"`{name}` may be a buffer or data, for which no node is", 1.5)


def _of_dtype(name: str, dtype: str | None) -> Iterator[Fit]:
    """Whether a name sounds like values of the dtype that the message has."""
    sounds = next((kind for kind, words in _WHOLE.items() if words.search(name)), None)
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


def _is_operator_name(name: str) -> bool:
    from autograd_lint.operators.table import load

    found = load().find(f"torch.{name}") or load().find(f"torch.nn.functional.{name}")
    return found is not None or load().is_tensor_method(name)


def _writers(line: Line) -> list[str]:
    """The operators by which a statement writes; of a part of a tensor, those of the whole."""
    node = line.node
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        return ["copyslices"]
    if isinstance(node, ast.AugAssign):
        return called(ast.BinOp(ast.Name(""), node.op, ast.Name("")))
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return ["copyslices"]
    found = called(getattr(node, "value", None))
    return [one.rstrip("_") for one in found if one.endswith("_")] + _in_place_forms(line)


def _in_place_forms(line: Line) -> list[str]:
    """The functions that a statement calls with `inplace=True`."""
    calls = (part for part in line.parts if isinstance(part, ast.Call))
    return [
        name
        for call in calls
        if any(one.arg == "inplace" for one in call.keywords)
        for name in called(call)[:1]
    ]


def _keeps_result(operator: str) -> bool:
    """Whether an operator keeps its own result for backward, as the table has it."""
    from autograd_lint.operators.table import load

    found = load().find(f"torch.{operator}") or load().find(f"torch.nn.functional.{operator}")
    return found is not None and any(save.is_result for form in found.forms for save in form.saves)


def _in_value(line: Line, name: str) -> bool:
    """Whether a statement writes with what is computed from the very tensor, and keeps it."""
    value = getattr(line.node, "value", None)
    if isinstance(line.node, ast.Expr) and isinstance(value, ast.Call):
        return any(saves(one, name) for one in value.args)
    return value is not None and saves(value, name)


def _replaces_element(line: Line) -> bool:
    """Whether an element is bound to what a call makes of it: `x[i] = f(x[i])`."""
    node = line.node
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    target, given = node.targets[0], node.value.args
    is_element = isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Name)
    return is_element and ast.unparse(target) in map(ast.unparse, given)


def _is_module(origin: ast.expr | None) -> bool:
    """Whether a value is what an attribute of `self` gives when it is called."""
    name = spelt(origin.func) if isinstance(origin, ast.Call) else None
    return name is not None and name.startswith("self.") and name.count(".") == 1


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
        and _FRESH.match(makers[0])
        and "requires_grad" not in ast.unparse(origin or line.node)
    ):
        yield Fit("made", False, f"`{name}` is created from plain numbers", 0.3)
    if makers and makers[0] in ALIASES:
        yield Fit("alias", True, f"`{name}` may be the very tensor that it is made of", 2.0)
