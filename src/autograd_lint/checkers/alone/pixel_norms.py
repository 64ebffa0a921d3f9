"""Gradient penalties of images that take the norm over the channels alone.

share = torch.rand(real.size(0), 1, 1, 1)                  # images: four dimensions
between = (share * real + (1 - share) * made).requires_grad_()
gradient, = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
penalty = ((gradient.norm(2, dim=1) - 1) ** 2).mean()      # of each pixel, not of each image

Source: the penalty is one of the norm of the whole gradient of a sample
(https://arxiv.org/abs/1704.00028, algorithm 1).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import Bound, Called, body, path_of
from autograd_lint.project.source import Source

_OF_IMAGES = 4  # dimensions of a batch of images
_DRAWING = {"rand", "rand_like", "empty", "zeros", "FloatTensor", "uniform_"}


def judge(source: Source) -> Iterator[Fault]:
    """In each function: the norms of gradients of images over one dimension."""
    for function in source.each(ast.FunctionDef):
        calls = body(function).calls
        gradients = dict(_gradients(function)) if any(map(_draws_for_images, calls)) else {}
        for call in calls:
            name = _normed(call)
            if name in gradients and _is_bound_once(function, name) and _dim(call) == 1:
                built = Created(source.place(gradients[name]), "grad")
                yield Fault(Pitfall.PIXEL_NORM, source.place(call.node), tensor=name, built=built)


def _draws_for_images(call: Called) -> bool:
    """Whether a random number is drawn for each of a batch of images: `torch.rand(n, 1, 1, 1)`."""
    given = call.given
    if len(given) == 1 and isinstance(given[0], (ast.Tuple, ast.List)):
        given = given[0].elts
    ones = [isinstance(one, ast.Constant) and one.value == 1 for one in given[1:_OF_IMAGES]]
    return call.method in _DRAWING and len(ones) == _OF_IMAGES - 1 and all(ones)


def _gradients(function: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The names that gradients with a graph are given, and the calls that compute them."""
    for bound in body(function).assigned():
        call = _grad(bound)
        options = {one.arg for one in call.keywords} if call is not None else set()
        if call is not None and "create_graph" in options and bound.path:
            yield bound.path, call


def _grad(bound: Bound) -> ast.Call | None:
    """The call of `autograd.grad` whose first result is bound."""
    value = bound.value.value if isinstance(bound.value, ast.Subscript) else bound.value
    is_call = isinstance(value, ast.Call) and path_of(value.func).rpartition(".")[2] == "grad"
    return value if is_call and isinstance(value, ast.Call) else None


def _normed(call: Called) -> str:
    """The name of what a norm is taken of."""
    if call.method != "norm":
        return ""
    first = path_of(call.node.args[0]) if call.node.args else ""
    return first if call.owner in ("torch", "torch.linalg", "LA") else call.owner


def _dim(call: Called) -> object:
    """The one dimension that a norm goes over."""
    named = {one.arg: one.value for one in call.node.keywords}
    position = 1 + (call.owner in ("torch", "torch.linalg", "LA"))
    rest = call.node.args[position] if len(call.node.args) > position else None
    value = named.get("dim", rest)
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == 1:
        value = value.elts[0]
    return value.value if isinstance(value, ast.Constant) else None


def _is_bound_once(function: ast.AST, name: str) -> bool:
    """Whether a name means nothing else later: not the gradient as it was laid out anew."""
    return sum(bound.path == name for bound in body(function).bindings) == 1
