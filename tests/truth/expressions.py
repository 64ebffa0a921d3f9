"""Random expressions: templates whose holes are variables, calls or further expressions."""

import ast
import re

from tests.truth.operations import ALL_EXPRESSIONS, CUTS, EXPRESSIONS
from tests.truth.writing import RANKS, SIZES, Routine, Writer

NUMBERS = ["2", "0.5", "3.0", "1", "-1.0", "0.1", "2.0"]
HOLE = re.compile(r"\{(\w+)\}")


def expression(w: Writer, shape: str, depth: int = 1) -> str:
    """An expression of that shape; `depth` bounds the nesting."""
    callable_here = [r for r in w.routines if r.result == shape]
    if callable_here and w.chance(0.3):
        return call(w, w.pick(callable_here), depth)
    templates = ALL_EXPRESSIONS if w.chance(0.3) else EXPRESSIONS
    return fill(w, w.pick(templates[shape]), shape, depth)


def fill(w: Writer, template: str, shape: str, depth: int, x: str = "") -> str:
    """The template with its holes filled; `x` is what the hole of that name holds."""

    def content(hole: re.Match[str]) -> str:
        text = x if hole[1] == "x" else _hole(w, hole[1], shape, depth)
        around = template[: hole.start()].rstrip()[-1:], template[hole.end() :][:1]
        return text if around[0] in tuple("([,") and around[1] in tuple(")],") else closed(text)

    return HOLE.sub(content, template)


def closed(text: str) -> str:
    """The expression, in brackets where an operator or an attribute beside it needs them."""
    tree = ast.parse(text, mode="eval").body
    whole = isinstance(tree, ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.Constant)
    return text if whole else f"({text})"


def _hole(w: Writer, hole: str, shape: str, depth: int) -> str:
    if hole == "num":
        return w.pick(NUMBERS)
    if hole == "size":
        return SIZES[shape] or "()"
    if hole == "idx":
        return index(w)
    if hole == "mask":
        return mask(w, shape)
    if hole == "same":
        return operand(w, shape, depth)
    if hole == "lower":
        lower = [s for s in RANKS if RANKS[s] <= RANKS[shape]]
        return operand(w, w.pick([shape, *lower]), depth)
    return operand(w, hole, depth)


def operand(w: Writer, shape: str, depth: int) -> str:
    """Mostly a variable, the newest first; else a nested expression or a constant."""
    known = w.variables(shape)
    if known and w.chance(0.85):
        growing = [v for v in known if v.grad]
        return w.pick((growing if growing and w.chance(0.5) else known)[::-1]).name
    if depth > 0 and (w.chance(0.6) or not known):
        return expression(w, shape, depth - 1)
    return constant(w, shape)


def constant(w: Writer, shape: str) -> str:
    """A tensor without gradient."""
    size = SIZES[shape]
    if not size:
        return w.pick(["torch.tensor(1.5)", "torch.ones(())"])
    return w.pick([f"torch.ones({size})", f"torch.randn({size})", f"torch.rand({size})"])


def index(w: Writer) -> str:
    """An index vector with values 0 to 2."""
    known = w.variables("vec", "int")
    if known and w.chance(0.8):
        return w.pick(known).name
    return w.pick(
        ["torch.tensor([0, 1, 2])", "[0, 1, 2]", "torch.arange(3)"][:: 2 if w.chance(0.9) else 1]
    )


def mask(w: Writer, shape: str) -> str:
    """A mask of that shape."""
    known = w.variables(shape, "mask")
    if known and w.chance(0.6):
        return w.pick(known).name
    floats = w.variables(shape)
    if floats:
        return f"{w.pick(floats).name} > 0"
    return f"{constant(w, shape)} > 0"


def call(w: Writer, routine: Routine, depth: int) -> str:
    """A call of a function or module of the program."""
    w.called.add(routine.name)
    arguments = [operand(w, shape, depth - 1) for shape in routine.shapes]
    if routine.keywords and w.chance(0.5):
        arguments.append(w.pick(routine.keywords))
    return f"{routine.name}({', '.join(arguments)})"


def gradual(w: Writer, text: str) -> bool:
    """Whether an expression probably requires grad."""
    if not w.grad_mode or any(cut in text for cut in CUTS):
        return False
    names = set(re.findall(r"[A-Za-z_][\w.]*", text))
    words = names | {name.rsplit(".", 1)[0] for name in names}
    if any(r.grad is False and r.name in words for r in w.routines):
        return False
    routines = {r.name for r in w.routines if r.grad}
    return bool(words & routines) or any(v.grad and v.name in words for v in w.scope)
