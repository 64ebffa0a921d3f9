"""Statements that lose a graph, keep one too long, or hand one to NumPy."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.diagnosis.fitting import Fit
from autograd_lint.diagnosis.suspects import states
from autograd_lint.diagnosis.suspects.code import ALIASES, Line, is_parameter, made, spelt
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_PLAIN_VALUE = (ast.Constant, ast.List, ast.Dict, ast.Set, ast.Lambda, ast.JoinedStr, ast.Compare)
_SET_UP = re.compile(r"^(?:__init__|setup|build\w*|reset\w*|configure\w*|init\w*|load\w*)$")
_CUT = re.compile(r"\.detach\(|\.item\(|\.data\b|no_grad|float\(|int\(")
_STATE = re.compile(r"hid|state|mem|prev|last|loss|graph|cache|buffer|h\b|ema|avg|mean|running")
_CARRIED = re.compile(r"hid|[._]h\d?$|memor|\bmem\b")
_COMPUTES = re.compile(r"torch\.|\bF\.|forward|backward|loss|detach|hidden|[Tt]ensor")
_NO_STATE = re.compile(
    r"(?:_|\b)(?:lr|rate|status|stage|steps?|epochs?|idx|index|path|dir|name|config|cfg|args|device|dtype"
    r"|size|dim|len|flag|mode|logger|num|count|iter|time|seed|key|writer|loader|dataset|optimizer|scheduler"
    r"|models?|module|net|network|fn|func)$"
)
_MADE_PLAIN = re.compile(
    r"^(?:dict|list|set|tuple|str|int|float|len|bool|iter|next|open|deque|defaultdict|(?:np|time|json|os|re|math|random|datetime|logging)\.\w+|torch\.(?:zeros"
    r"|ones|empty|full|tensor|\w*Tensor|Size|device)|\w+\.get|[\w.]+\.new(?:_\w+)?)\("
)
# What makes arrays of what it is given, and what of these packages does something else.
_TO_ARRAYS = re.compile(r"^(?:np|numpy|plt|cv2|sklearn|ax\w*|axes)\b|imshow$|\bplot$|scatter$")
_NO_ARRAYS = re.compile(
    r"\.random\.|\.(?:figure|title|savefig|subplots?|x?y?label|legend|show|close|\w+lim|axis|grid|seed|empty"
    r"|zeros|ones|full|arange|eye|linspace|load\w*|save\w*|imread|imwrite|VideoCapture|dtype|\w*int\d*)$"
)
_GUARDED = re.compile(r"\.detach\(|\.data\b|\.tolist\(|from_numpy|requires_grad=False")
_STEPS = re.compile(r"^forward$|train|loss|step")
_NOT_TRAINED = re.compile(
    r"eval(?!_mode)|valid|test|infer|sample|generat|predict|\bref_|_ref\b|reference|teacher|target_net|\bold_|ema\b|metric|accura"
)
_RESULT = re.compile(r"logit|pred|out\b|output|score|prob|loss|recon|gen\w*\b|fake|emb|feat")
_WHOLE = re.compile(r"idx|index|label|target|y_true|\bgt|mask|len|ids\b|batch\b")


def freed(line: Line) -> Iterator[Fit] | None:
    """What speaks for it that a statement keeps a graph from one backward to the next."""
    node = line.node
    cut = states.left_out(line)
    if cut is not None:
        return cut
    if isinstance(node, ast.Assign):
        kept = [spelt(target) or "" for target in node.targets]
        kept += [spelt(one) or "" for target in node.targets
                 if isinstance(target, ast.Tuple) for one in target.elts]  # fmt: skip
        own = [name for name in kept if name.startswith("self.")]
        return _kept(line, own[0]) if own else None
    registered = _registered(node)
    if registered is not None:
        return _kept(line, registered)
    if re.search(r"\.backward\(|\bgrad\(", line.code):
        return _walks(line)
    return None


def gathered(line: Line) -> Iterator[Fit] | None:
    """What speaks for it that a statement keeps graphs of all steps alive."""
    node = line.node
    sums = isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)
    if sums or re.search(r"\.append\(|retain_graph\s*=\s*True|create_graph\s*=\s*True", line.code):
        return _gathers(line)
    return freed(line) if isinstance(node, ast.Assign) else None


def _gathers(line: Line) -> Iterator[Fit]:
    if line.quiet or _CUT.search(line.code):
        yield Fit("kept", False, "what is gathered has no graph", 0.1)
    elif _RESULT.search(line.code):
        yield Fit("kept", True, "what is gathered may have its graph", 3.0)
    if line.loop is not None:
        yield Fit("kept", True, "it is done in every iteration of a loop", 2.0)


def _registered(node: ast.stmt) -> str | None:
    """The attribute that a call sets by its name: `register_buffer`, `setattr`."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not call.args:
        return None
    called = ast.unparse(call.func)
    if called == "setattr" and len(call.args) == 3:
        return f"self.{ast.unparse(call.args[1])}"
    return f"self.{ast.unparse(call.args[0])}" if called == "self.register_buffer" else None


def _kept(line: Line, name: str) -> Iterator[Fit]:
    value = getattr(line.node, "value", None)
    function = line.function.name if line.function is not None else ""
    if _is_plain(value) or _SET_UP.match(function) or line.quiet:
        yield Fit("kept", False, f"`{name}` gets no graph here", 0.05)
        return
    code = ast.unparse(value) if value is not None else ""
    source = made(line, spelt(value) or "")
    origin = ast.unparse(source) if source is not None else ""
    if _NO_STATE.search(name) or _MADE_PLAIN.search(code) or _MADE_PLAIN.search(origin):
        yield Fit("kept", False, f"`{name}` does not look like a tensor with a graph", 0.1)
        return
    if _CUT.search(code):
        yield Fit("kept", False, "what is kept is cut from its graph", 0.1)
    if _makes_object(value):
        yield Fit("kept", False, "an object is made here", 0.2)
    if not _COMPUTES.search(line.source.segment(line.scope) if line.function else ""):
        yield Fit("kept", None, "nothing here sounds like tensors", 0.4)
    yield from _comes_back(line, name, value, code)
    if _CARRIED.search(name):
        yield Fit("kept", True, f"`{name}` sounds like a state that is carried over", 3.0)
    elif _STATE.search(name):
        yield Fit("kept", True, f"`{name}` sounds like a state", 2.0)
    if not any(isinstance(part, ast.Call) for part in ast.walk(line.node)):
        yield Fit("kept", None, "nothing is computed here", 0.8)


def _comes_back(line: Line, name: str, value: ast.expr | None, code: str) -> Iterator[Fit]:
    """How what is kept as `name`, the value that is written so, comes into the next call."""
    if _converts(value, name):
        yield Fit("kept", None, f"`{name}` is only converted", 0.5)
    elif name in code:
        yield Fit("kept", True, f"`{name}` is computed from what it was", 6.0)
    elif _is_read(line, name):
        yield Fit("kept", True, f"`{name}` is read again by the next call", 4.0)
    elif name in _loaded(line.source):
        yield Fit("kept", True, f"`{name}` is read by other functions of the file", 2.0)
    elif isinstance(line.node, ast.Expr):
        yield Fit("kept", True, f"`{name}` is there in the next call", 3.0)


def _is_plain(value: ast.AST | None) -> bool:
    """Whether a value is no tensor, by how it is written: a number, a list, several of them."""
    if isinstance(value, ast.Tuple):
        return all(map(_is_plain, value.elts))
    return isinstance(value, _PLAIN_VALUE)


def _makes_object(value: ast.expr | None) -> bool:
    """Whether a value is a new object of a class, by how it is spelled."""
    called = spelt(value.func) if isinstance(value, ast.Call) else None
    return called is not None and called.rpartition(".")[2][:1].isupper()


def _converts(value: ast.expr | None, name: str) -> bool:
    """Whether a value is a tensor of that name, moved or converted."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in ALIASES:
            return False
        value = value.func.value
    return spelt(value) == name


def _is_read(line: Line, name: str) -> bool:
    """Whether the function reads an attribute, too."""
    found = 0
    for node in ast.walk(line.scope):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            found += spelt(node) == name
    return found > 0


@query
def _loaded(source: Source) -> frozenset[str]:
    """The attributes of `self` that a file reads."""
    found = (
        spelt(node)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    )
    return frozenset(name for name in found if name is not None and name.startswith("self."))


def _walks(line: Line) -> Iterator[Fit]:
    yield Fit("walks", True, "backward runs here", 1.5)
    if line.function is not None and line.function.name == "forward":
        said = "it runs within a forward, on a graph that the training step walks again"
        yield Fit("walks", True, said, 6.0)
    if "retain_graph" in line.code:
        yield Fit("walks", True, "it keeps the graph, so that another walks it again", 1.5)
    if line.loop is not None:
        yield Fit("walks", True, "it runs in every iteration of a loop", 2.0)


def handed(line: Line) -> Iterator[Fit] | None:
    """What speaks for it that a statement hands a tensor with a graph to NumPy."""
    given = _handed_over(line)
    if not given and not any(map(_may_convert, line.parts)):
        return None
    return _numpy(line, given)


def _may_convert(part: ast.AST) -> bool:
    """Whether a call gives something with a name to what makes an array of it."""
    if not isinstance(part, ast.Call) or not isinstance(part.func, (ast.Attribute, ast.Name)):
        return False
    called = ast.unparse(part.func)
    if not _TO_ARRAYS.search(called) or _NO_ARRAYS.search(called):
        return False
    values = [*part.args, *(one.value for one in part.keywords if one.arg in ("a", "x", "y"))]
    return any(
        isinstance(one, (ast.Name, ast.Attribute)) for arg in values for one in ast.walk(arg)
    )


def _handed_over(line: Line) -> list[ast.expr]:
    """What `.numpy()` is called on."""
    return [
        part.func.value
        for part in line.parts
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr in ("numpy", "__array__")
    ]


def _numpy(line: Line, given: list[ast.expr]) -> Iterator[Fit]:
    if line.quiet:
        yield Fit("mode", False, "gradients are not recorded here", 0.2)
    if not given:
        yield Fit("handed", None, "NumPy may be given a tensor here", 0.5)
        return
    texts = [ast.unparse(one) for one in given]
    origins = [made(line, name) for one in given if (name := spelt(_base(one)))]
    texts += [ast.unparse(one) for one in origins if one is not None]
    if all(_GUARDED.search(text) for text in texts):
        yield Fit("handed", False, "it is detached first", 0.1)
    elif _GUARDED.search(texts[0]):
        yield Fit("handed", False, "it is detached first", 0.2)
    else:
        yield Fit("handed", True, f"`{texts[0]}` is not detached", 3.0)
        if _RESULT.search(texts[0]):
            yield Fit("handed", True, "it sounds like what a model gives", 2.0)
        if _WHOLE.search(texts[0]) and len(given) == 1:
            yield Fit("dtype", None, "it sounds like whole numbers, which have no gradient", 0.4)


def _base(node: ast.expr) -> ast.expr:
    while isinstance(node, (ast.Call, ast.Subscript)):
        inner = node.func if isinstance(node, ast.Call) else node.value
        node = inner.value if isinstance(inner, ast.Attribute) else inner
    return node


def rootless(line: Line) -> Iterator[Fit] | None:
    """What speaks for it that a statement leaves the loss without a graph."""
    code = line.code
    strong = re.search(
        r"torch\.(?:as_)?tensor\(|Variable\(|\.item\(\)|\.detach\(\)|\.data\b|argmax|\.numpy\(|"
        r"requires_grad\s*=\s*(?:True|False)|requires_grad_\(|no_grad|inference_mode|"
        r"set_grad_enabled|\.long\(|\.int\(|\.bool\(",
        code,
    )
    if _is_number(line):
        return iter((Fit("cut", True, "a plain number stands in the place of a loss", 3.0),))
    walks = re.search(r"\.backward\(|\bgrad\(", code)
    if strong is None and walks is None:
        return None
    return _rootless(line, strong is not None, walks is not None)


def _is_number(line: Line) -> bool:
    """Whether a function gives back a plain number, or a loss begins as one."""
    node = line.node
    value = getattr(node, "value", None)
    sides = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
    number = any(isinstance(one, ast.Constant) and type(one.value) in (int, float) for one in sides)
    if isinstance(node, ast.Assign):
        return number and "loss" in ast.unparse(node.targets[0])
    return number and isinstance(node, ast.Return)


def _rootless(line: Line, cuts: bool, walks: bool) -> Iterator[Fit]:
    if walks and not cuts:
        yield Fit("walks", None, "backward runs here, the graph has ended before", 0.7)
        return
    if isinstance(line.node, (ast.With, ast.AsyncWith)):
        yield from _without_recording(line)
    if re.search(r"\bloss|objective|logits|out\w*\b|pred", line.code):
        yield Fit("cut", True, "what it leaves without a graph may be the loss", 2.5)
    if isinstance(line.node, ast.Return) or (line.function is not None and _trains(line)):
        yield Fit("cut", True, "it is part of what is trained", 1.5)
    if re.search(r"print|log\w*\(|append\(|metric|acc\w*|assert", line.code):
        yield Fit("cut", False, "it only reports", 0.3)


def _without_recording(line: Line) -> Iterator[Fit]:
    """What speaks for it that a block without recording is around what is trained."""
    function = line.function.name if line.function is not None else ""
    block = " ".join(line.source.lines[line.node.lineno - 1 : line.node.end_lineno])
    if _NOT_TRAINED.search(f"{function} {block}"):
        yield Fit("cut", False, "what is not trained is computed here", 0.2)
    elif _STEPS.search(function):
        yield Fit("cut", True, f"`{function}` computes what is trained", 3.0)
        if re.search(r"\breturn\b", block):
            yield Fit("cut", True, "what is computed without recording is given back", 2.0)


def _trains(line: Line) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("backward", "step", "zero_grad")
        for node in ast.walk(line.scope)
    )


def demanded(line: Line) -> Iterator[Fit] | None:
    """What speaks for it that a statement asks for the gradient of what requires none."""
    if re.search(r"\bgrad\(", line.code):
        return iter((Fit("asked", True, "a gradient is requested here", 6.0),))
    return asked(line)


def asked(line: Line) -> Iterator[Fit] | None:
    """What speaks for it that a statement asks for a gradient that there is not."""
    code = line.code
    if re.search(r"\bgrad\(", code):
        return iter(
            (Fit("asked", True, "a gradient is requested here", 6.0),)
            if "allow_unused=True" not in code
            else (Fit("asked", None, "a gradient is requested here", 2.0),)
        )
    if re.search(r"deepcopy|inputs\s*=|create_graph", code) and not is_parameter(line, code):
        return iter(())
    return None
