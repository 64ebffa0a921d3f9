"""Lists of layers in which one module stands several times: `nn.ModuleList([layer] * n)`.

Multiplying a list copies references: there is one set of parameters, and it gets the sum of all
gradients. Source: https://docs.python.org/3/library/stdtypes.html#common-sequence-operations, note 2.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.modules.containers import container_name
from autograd_lint.libraries.torch.modules.modules import parameters
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
        first = next(iter(event.module.attributes.values()), None)
        if multiplied is None or not isinstance(first, Instance):
            return
        trained = [tensor for _, tensor in parameters(first) if tensor.requires is not None]
        if trained:
            note(interp, Pitfall.LAYER_MULTIPLIED, interp.place(multiplied), tensor=trained[0].name)


def _multiplied(interp: Interpreter, call: ast.Call) -> Iterator[ast.BinOp]:
    """What a container is given, where that is a list of one element, several times."""
    for given in call.args:
        node = given.value if isinstance(given, ast.Starred) else given
        for one in _bindings(interp, node) if isinstance(node, ast.Name) else (node,):
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult) and _is_one(one):
                yield one


def _is_one(node: ast.BinOp) -> bool:
    lists = [one for one in (node.left, node.right) if isinstance(one, ast.List)]
    return len(lists) == 1 and len(lists[0].elts) == 1


def _bindings(interp: Interpreter, name: ast.Name) -> Iterator[ast.expr]:
    """What a name of the function that runs is bound to."""
    function = interp.frame.function
    body = function.node if function is not None else interp.source.tree
    for part in ast.walk(body):
        if isinstance(part, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name.id for target in part.targets
        ):
            yield part.value
