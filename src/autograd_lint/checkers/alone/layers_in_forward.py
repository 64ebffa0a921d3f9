"""Layers with parameters that a `forward` makes: they are other ones in each call.

def forward(self, x):
    head = nn.Linear(x.size(1), 10)
    return head(x)

Source: https://docs.pytorch.org/docs/stable/notes/modules.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import MADE_ANEW, Pitfall
from autograd_lint.facts.body import Bound, Function, body
from autograd_lint.facts.class_kinds import is_module
from autograd_lint.facts.forward_methods import forward_methods
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.project.source import Source

# Those whose parameters are drawn: a normalization begins as one without parameters.
_LAYER = re.compile(
    r"torch\.nn\.(?:Linear|Bilinear|Conv\dd|ConvTranspose\dd|Embedding|(?:RNN|LSTM|GRU)(?:Cell)?"
    r"|MultiheadAttention|TransformerEncoder(?:Layer)?)$"
)
# Those that hold other layers, or change one.
_AROUND = re.compile(r"torch\.nn\.(?:Sequential|utils\.(?:parametrizations\.)?\w+_norm)$")
# What a program says of a layer that it does not want to be trained, or sets by itself.
_SETTING = (".weight", ".bias", "load_state_dict", "requires_grad", "no_grad", "init.", ".data")


def judge(source: Source) -> Iterator[Fault]:
    """Layers that the method calls in which they are made, and nobody keeps."""
    for cls in source.each(ast.ClassDef):
        for method in forward_methods(source, cls) if is_module(cls) else ():
            if not any(word in source.segment(method) for word in _SETTING):
                yield from _judge_method(source, method)


def _judge_method(source: Source, method: Function) -> Iterator[Fault]:
    found = body(method)
    used = {one.path for one in found.calls}
    for call in found.calls:
        made = call.node.func
        if isinstance(made, ast.Call) and _is_layer(source, made):
            yield _fault(source, made)
    for bound in found.bindings:
        if (
            _is_layer(source, bound.value)
            and bound.path in used
            and _is_unconditional(bound, method)
        ):
            yield _fault(source, bound.value)


def _is_layer(source: Source, code: ast.expr) -> bool:
    """Whether an expression makes a layer with parameters, or one around such a layer."""
    if not isinstance(code, ast.Call):
        return False
    path = path_in(source, code.func)
    inside = code.args if _AROUND.match(path) else ()
    return bool(_LAYER.match(path)) or any(_is_layer(source, one) for one in inside)


def _is_unconditional(bound: Bound, method: Function) -> bool:
    """Whether a method makes it in each call: a name of its own, or an attribute at any rate."""
    own = isinstance(bound.target, ast.Name)
    return own or any(statement is bound.statement for statement in method.body)


def _fault(source: Source, code: ast.expr) -> Fault:
    return Fault(Pitfall.UNREGISTERED, source.place(code), detail=MADE_ANEW)
