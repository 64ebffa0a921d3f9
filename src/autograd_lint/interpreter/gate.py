"""What is worth an analysis: a text in which nothing can go wrong is passed over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from autograd_lint.project.source import Source

# What a fault needs somewhere: an in-place write, a backward, an optimizer, a flag, numpy, or state
# that is computed from itself.
_TRIGGER = re.compile(
    r"[a-z0-9]_\(|inplace|[-+*/@&|^%]=|\.data\b|backward\(|autograd|requires_grad"
    r"|numpy|\bnp\.|optim|out=|asarray|__i(?!nit|ter)[a-z]+__|deepcopy|retain_grad|inference_mode|operator"
    r"|^\s*\w[^\n:=]*\[[^\n=]*[^'\"\n]\]\s*=[^=]"  # a store, but no annotation with a default
    r"|self\.(\w+)\b[^\n=]*=(?!=)[^\n]*\bself\.\1\b|hasattr\(self,|\b(self\.\w+) is None:\s+\2 =",
    re.MULTILINE,
)
# What a pitfall that raises nothing needs besides.
_PITFALL = re.compile(
    r"require_?s?_?grad|require[sd]_gradient|register_\w*hook|\.eval\(\)"
    r"|checkpoint\(|async def|no_grad:"
    r"|self\.\w+\s*=\s*[\[{][^\n]*\bnn\.[A-Z]|self\.\w+\.append\(\s*(?:torch\.)?nn\.[A-Z]"
    r"|^\s*\w[\w.]*\.(?:step|zero_grad|train|eval|backward)\s*$"
    r"|^\s*torch\.(?:no_grad|enable_grad|inference_mode|set_grad_enabled)\([^\n]*\)\s*$",
    re.MULTILINE,
)
_CALLED = re.compile(r"(?<!def )\b([A-Za-z_]\w*)\(")
_WORD = re.compile(r"[A-Za-z_]\w*")

# What computes with tensors: torch by name, or a method of anything but the keyword arguments.
_COMPUTES = re.compile(r"\btorch\.|\bF\.|(?<!kwargs)\.[a-z_]+\(")

_TRAINS = re.compile(r"\.(?:backward|step|grad)\b")
_SETS_OWN = re.compile(r"\bself\.\w+\s*(?:=[^=]|,)")

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def may_hold_fault(text: str) -> bool:
    """Whether anything that a fault needs stands in the text."""
    return _TRIGGER.search(text) is not None or _PITFALL.search(text) is not None


def leads_to_fault(text: str, risky: frozenset[str]) -> bool:
    """Whether a fault may be in a piece of the program, or in one of the `risky` it calls."""
    return may_hold_fault(text) or not risky.isdisjoint(_CALLED.findall(text))


def risky_names(source: Source) -> frozenset[str]:
    """The functions and methods of a file in which a fault may be."""
    return frozenset(
        node.name for node in _functions(source.tree.body) if may_hold_fault(source.segment(node))
    )


def _functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in definitions(body):
        if isinstance(node, ast.ClassDef):
            yield from _functions(node.body)
        else:
            yield node


def trains(text: str) -> bool:
    """Whether a piece of the program calls backward or steps an optimizer."""
    return _TRAINS.search(text) is not None


def definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Top-level definitions, those under `if` and `try` too."""
    for node in body:
        if isinstance(node, Definition):
            yield node
        elif isinstance(node, (ast.If, ast.Try)):
            yield from definitions(node.body)
            yield from definitions(node.orelse)


def outside_text(source: Source) -> str:
    """The text of a module outside of its functions and classes."""
    lines = list(source.lines)
    for node in definitions(source.tree.body):
        lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or 0) - node.lineno + 1)
    return "\n".join(lines)


def called(source: Source, names: Iterable[str]) -> set[str]:
    """What the definitions of those names call, each other than itself."""
    nodes = {node.name: node for node in definitions(source.tree.body)}
    found: set[str] = set()
    for name in names:
        found |= set(_CALLED.findall(source.segment(nodes[name]))) - {name}
    return found


def _keeps_state(definition: Definition) -> bool:
    """Whether `forward` both reads and sets an attribute: it may carry a graph on."""
    for method in definition.body if isinstance(definition, ast.ClassDef) else ():
        if isinstance(method, ast.FunctionDef) and method.name == "forward":
            used = [node for node in ast.walk(method) if isinstance(node, ast.Attribute)]
            own = [n for n in used if isinstance(n.value, ast.Name) and n.value.id == "self"]
            stored = {node.attr for node in own if isinstance(node.ctx, ast.Store)}
            if any(node.attr in stored for node in own if isinstance(node.ctx, ast.Load)):
                return True
    return False


def suspects(source: Source) -> list[str]:
    """The definitions to drive: those with a trigger, and those that use one that matters to them.

    A class matters to the classes that use it, a function to everything that calls it and computes
    with tensors: a function that merely makes a module cannot go wrong by what the module does when
    it is called.
    """
    nodes = {node.name: node for node in definitions(source.tree.body)}
    texts = {name: source.segment(node) for name, node in nodes.items()}
    found = {
        name
        for name, text in texts.items()
        if may_hold_fault(text) or (_SETS_OWN.search(text) and _keeps_state(nodes[name]))
    }
    words = {
        name: set(_WORD.findall(text))
        for name, text in texts.items()
        if name not in found and (isinstance(nodes[name], ast.ClassDef) or _COMPUTES.search(text))
    }
    while True:
        functions = {name for name in found if not isinstance(nodes[name], ast.ClassDef)}
        more = {
            name
            for name, used in words.items()
            if name not in found
            and used & (found if isinstance(nodes[name], ast.ClassDef) else functions)
        }
        if not more:
            return [name for name in nodes if name in found]
        found |= more
