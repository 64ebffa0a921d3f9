"""What a piece of code does to gradients and to the objects it names: its effects.

Whoever asks whether something is trained asks here. A piece of code trains where it runs backward,
has an optimizer step, or handles gradients, which are there only after a backward. What it calls
is not counted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lint.facts.body import Body, Called, body, called_of, path_of
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# Without one of these words a text neither trains nor clears anything.
_TELLING = re.compile(r"backward|grad|\.step\b|\.fit\(|Trainer\(|jac|hess|vjp|vhp|hvp")
# What differentiates a value, or a function. Sources:
# https://docs.pytorch.org/docs/stable/func.api.html
# https://docs.pytorch.org/docs/stable/autograd.html#functional-higher-level-api
_DIFFERENTIATING = {
    *("backward", "manual_backward", "grad", "grad_and_value"),
    *("vjp", "jacrev", "hessian", "jacobian", "hvp", "vhp"),
}
_FRAMEWORKS = re.compile(r"Trainer$")  # as those are called that train what they are given
_OF_SCALERS = {"scale", "unscale_", "update"}


@dataclass(frozen=True, slots=True)
class Effects:
    """What a piece of code does to gradients.

    `roots` are the paths that each backward may begin at, `stepped` the optimizers whose `step` is
    called, `cleared` what has its gradients cleared, once for each time. Paths are empty where
    they are not known. With `gradients` some `.grad` is read or written, with `delegates` a
    framework trains.
    """

    roots: tuple[frozenset[str], ...] = ()
    stepped: frozenset[str] = frozenset()
    cleared: tuple[str, ...] = ()
    gradients: bool = False
    delegates: bool = False

    @property
    def differentiates(self) -> bool:
        """Whether it runs backward, or has a framework do so."""
        return bool(self.roots) or self.delegates

    @property
    def trains(self) -> bool:
        """Whether it is a part of a training."""
        return self.differentiates or bool(self.stepped) or self.gradients


@query
def effects_in(source: Source, node: ast.AST) -> Effects:
    """The effects of a piece of a file, most of which have none."""
    return effects(node) if _TELLING.search(source.segment(node)) else Effects()


@query
def effects(node: ast.AST) -> Effects:
    """The effects of a piece of code."""
    found = body(node)
    return Effects(
        roots=tuple(_begins_at(call) for call in found.calls if is_backward(call)),
        stepped=frozenset(call.owner for call in found.calls if is_step(call, node)),
        cleared=tuple(_cleared(found)),
        gradients="grad" in found.asked,
        delegates=any(map(_delegates, found.calls)),
    )


def trains_in(source: Source, node: ast.AST) -> bool:
    """Whether a piece of a file is a part of a training."""
    return effects_in(source, node).trains


def is_backward(call: Called) -> bool:
    """Whether a call differentiates something."""
    return call.method in _DIFFERENTIATING


def is_training(call: Called) -> bool:
    """Whether a call differentiates something, or has a framework do so."""
    return is_backward(call) or _delegates(call)


def _delegates(call: Called) -> bool:
    """Whether a call has a framework train."""
    return call.method == "fit" or _FRAMEWORKS.search(call.method) is not None


def _begins_at(call: Called) -> frozenset[str]:
    """The paths that a backward may begin at: of its tensor, or of the first thing it is given."""
    function = call.node.func
    owner = [function.value] if isinstance(function, ast.Attribute) else []
    roots = [*owner, *call.node.args[:1]]
    return frozenset(path_of(part) for root in roots for part in ast.walk(root)) - {""}


def is_step(call: Called, node: ast.AST) -> bool:
    """Whether a call in some code is the step of an optimizer: of nothing, of a closure, or of a
    scaler, which the code calls for other things too.

    What is given an action is an environment, and what an object calls of its own is its method.
    """
    of_other = isinstance(call.node.func, ast.Attribute) and call.owner != "self"
    if call.method != "step" or not of_other:
        return False
    closure = any(isinstance(one, ast.Lambda) or "closure" in path_of(one) for one in call.given)
    return not call.given or closure or not _OF_SCALERS.isdisjoint(called_of(call.owner, node))


def _cleared(found: Body) -> Iterator[str]:
    """What has its gradients cleared: by `x.zero_grad()`, `x.grad.zero_()` or `x.grad = None`."""
    for call in found.calls:
        if call.method == "zero_grad" or (call.method == "zero_" and ".grad" in call.path):
            yield call.owner
    for bound in found.bindings:
        is_grad = isinstance(bound.target, ast.Attribute) and bound.target.attr == "grad"
        if is_grad and isinstance(bound.value, ast.Constant):
            yield bound.path
