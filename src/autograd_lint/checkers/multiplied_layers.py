"""Lists of layers in which one module stands several times: `nn.ModuleList([layer] * n)`.

Multiplying a list copies references: there is one set of parameters, and it gets the sum of all
gradients.

Source: https://docs.python.org/3/library/stdtypes.html#common-sequence-operations (note 2).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import body
from autograd_lint.facts.constant_arguments import telling_defaults
from autograd_lint.libraries.torch.modules.modules import container_name, parameters
from autograd_lint.vm.events import ModuleMade
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance


class MultipliedLayers(Checker):
    """Looks at each container of modules that is made."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleMade, cls.module_made)

    def module_made(self, interp: Interpreter, event: ModuleMade) -> None:
        """A module was made: a container, of a list that was multiplied?"""
        made = event.module.made_at
        if not isinstance(made, ast.Call) or container_name(event.module) is None:
            return
        multiplied = next(_multiplied(interp, made), None)
        layer = _repeated(event.module) if multiplied is not None else None
        if multiplied is None or layer is None:
            return
        trained = [tensor for _, tensor in parameters(layer) if tensor.requires is not None]
        if trained:
            note(interp, Pitfall.LAYER_MULTIPLIED, interp.place(multiplied), tensor=trained[0].name)


def _repeated(container: Instance) -> Instance | None:
    """The module that a container holds several times; the first where their number is unknown."""
    parts = [part for part in container.attributes.values() if isinstance(part, Instance)]
    if container.unknown is not None or container.partial:
        return parts[0] if parts else None
    return next((part for part in parts if sum(one is part for one in parts) > 1), None)


def _multiplied(interp: Interpreter, call: ast.Call) -> Iterator[ast.BinOp]:
    """What a container is given, where that is a list of one element, several times."""
    for given in call.args:
        node = given.value if isinstance(given, ast.Starred) else given
        for one in _bindings(interp, node) if isinstance(node, ast.Name) else (node,):
            if isinstance(one, ast.BinOp) and _is_one(one) and not _is_chosen(interp, one):
                yield one


def _is_one(node: ast.BinOp) -> bool:
    """Whether it is a product of a list of one element."""
    lists = [one for one in (node.left, node.right) if isinstance(one, ast.List)]
    return isinstance(node.op, ast.Mult) and len(lists) == 1 and len(lists[0].elts) == 1


def _is_chosen(interp: Interpreter, node: ast.BinOp) -> bool:
    """Whether a flag says if the element is there at all: `with_norm * [nn.LayerNorm(n)]`."""
    factor = node.left if isinstance(node.right, ast.List) else node.right
    denied = isinstance(factor, ast.UnaryOp) and isinstance(factor.op, ast.Not)
    if denied or isinstance(factor, (ast.Compare, ast.BoolOp)):
        return True
    function = interp.frame.function
    if function is None or not isinstance(factor, ast.Name):
        return False
    return isinstance(telling_defaults(function.node).get(factor.id), bool)


def _bindings(interp: Interpreter, name: ast.Name) -> Iterator[ast.expr]:
    """What a name of the function that runs is bound to."""
    function = interp.frame.function
    around = function.node if function is not None else interp.source.tree
    return (one.value for one in body(around).bindings if one.path == name.id and one.is_whole)
