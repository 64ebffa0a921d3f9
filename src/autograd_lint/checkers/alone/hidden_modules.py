"""Layers that a module holds in an object that is no module, in a function, or in its class.

class Encoder:                                   # not an nn.Module
    def __init__(self):
        self.table = nn.Embedding(100, 16)

class Model(nn.Module):
    body = nn.Linear(16, 16)                     # all objects share it, and none registers it

    def __init__(self):
        super().__init__()
        self.encoder = Encoder()                 # parameters() does not look into it
        head = nn.Linear(16, 1)
        self.score = lambda x: head(x)           # nor into this

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import HIDDEN, SHARED, Pitfall
from autograd_lint.facts.body import Bound, body, method_of
from autograd_lint.facts.class_kinds import is_module, is_named_module
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_LAYER = re.compile(
    r"torch\.nn\.(?:Linear|Bilinear|Conv\dd|ConvTranspose\dd|Embedding|(?:RNN|LSTM|GRU)(?:Cell)?"
    r"|MultiheadAttention|Sequential|Parameter|BatchNorm\dd|LayerNorm)$"
)


def judge(source: Source) -> Iterator[Fault]:
    """What the constructor of a module assigns to its attributes, and what its class holds."""
    for cls in source.each(ast.ClassDef):
        yield from _judge_class(source, cls) if is_named_module(cls) else ()
    plain = frozenset(one.name for one in source.each(ast.ClassDef) if _holds_layers(source, one))
    if not (plain or "lambda" in source.text):
        return
    for cls in source.each(ast.ClassDef):
        making = method_of(cls, "__init__") if is_named_module(cls) else None
        if making is None:
            continue
        for bound in _attributes(making):
            if _hides(source, making, bound, plain):
                place = source.place(bound.statement)
                yield Fault(Pitfall.UNREGISTERED, place, tensor=bound.path, detail=HIDDEN)


def _judge_class(source: Source, cls: ast.ClassDef) -> Iterator[Fault]:
    """Layers with parameters in the body of a class, which its methods call and nothing else asks
    for anything."""
    for one in cls.body:
        target = one.targets[0] if isinstance(one, ast.Assign) else None
        if not isinstance(one, ast.Assign) or not isinstance(target, ast.Name):
            continue
        layers = [part for part in walk(one.value) if _is_layer(source, part)]
        if not _is_layer(source, one.value) or all(map(_is_series, layers)):
            continue
        called = re.search(rf"\bself\.{target.id}\(", source.segment(cls))
        otherwise = rf"\b{target.id}\.|\.{target.id}\b(?!\()|[\"']{target.id}[\"']"
        if called and not re.search(otherwise, source.text):
            place = source.place(one)
            yield Fault(Pitfall.UNREGISTERED, place, tensor=f"self.{target.id}", detail=SHARED)


def _is_series(code: ast.AST) -> bool:
    return isinstance(code, ast.Call) and code_of(code.func).endswith("Sequential")


def _holds_layers(source: Source, cls: ast.ClassDef) -> bool:
    """Whether a class without bases has layers, and does not give its parameters away."""
    making = method_of(cls, "__init__")
    if cls.bases or cls.decorator_list or is_module(cls) or making is None:
        return False
    own = [one for one in body(making).bindings if _is_layer(source, one.value)]
    asked = "parameters()" in source.segment(cls) or method_of(cls, "parameters") is not None
    names = [one.path.removeprefix("self.") for one in own if one.path.startswith("self.")]
    return bool(names) and not asked and not any(_is_given(source, name) for name in names)


def _is_given(source: Source, name: str) -> bool:
    """Whether a file asks such an attribute for its parameters, or registers it."""
    asked = rf"\.{name}\.(?:\w*parameters|to)\(|[(\[,]\s*\w[\w.]*\.{name}[)\],]"
    return re.search(asked, source.text) is not None


def _attributes(making: ast.AST) -> Iterator[Bound]:
    """What a constructor assigns to attributes of its object."""
    bound = body(making).bindings
    return (one for one in bound if one.path.startswith("self.") and one.is_whole)


def _hides(source: Source, making: ast.AST, bound: Bound, plain: frozenset[str]) -> bool:
    """Whether a value holds layers where a module does not look for them."""
    value = bound.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in plain
    if not isinstance(value, ast.Lambda):
        return False
    layers = [one for one in body(making).bindings if _is_layer(source, one.value)]
    local = {one.path for one in layers if isinstance(one.target, ast.Name)}
    kept = {
        part.id
        for one in body(making).bindings
        if one.path.startswith("self.") and one.value is not value
        for part in walk(one.value)
        if isinstance(part, ast.Name)
    }
    given = {part.id for call in body(making).calls for one in call.given for part in _names(one)}
    used = {call.path for call in body(value).calls}
    return bool((used & local) - kept - given)


def _names(code: ast.expr) -> Iterator[ast.Name]:
    return (part for part in walk(code) if isinstance(part, ast.Name))


def _is_layer(source: Source, code: ast.AST) -> bool:
    return isinstance(code, ast.Call) and bool(_LAYER.match(path_in(source, code.func)))
