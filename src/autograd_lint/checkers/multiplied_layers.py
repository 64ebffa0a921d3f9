"""Lists of layers in which one module stands several times: `nn.ModuleList([layer] * n)`.

Multiplying a list copies references: there is one set of parameters, and it gets the sum of all
gradients. So do `[layer for _ in range(n)]` and `dict.fromkeys(names, layer)`. A comprehension may
be meant so, for heads that are alike; layers one behind the other are not.

Source: https://docs.python.org/3/library/stdtypes.html#common-sequence-operations (note 2).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.graph import Node
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.walk import walk_order
from autograd_lint.facts.body import body
from autograd_lint.facts.constant_arguments import telling_defaults
from autograd_lint.libraries.torch.modules.modules import container_name, parameters
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.vm.events import ModuleCalled, ModuleMade
from autograd_lint.vm.graphs import graph_of
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance

COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)


@dataclass(slots=True, eq=False, repr=False)
class Listed:
    """A module that a comprehension has put into a list several times, and the graphs of what its
    calls have given."""

    layer: Instance
    place: Place
    results: list[Node] = field(default_factory=list)


@dataclass(slots=True, eq=False, repr=False)
class MultipliedLayers(Checker):
    """Looks at each container of modules that is made; `listed` are the modules of those that a
    comprehension has filled, by identity."""

    listed: dict[int, Listed] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleMade, cls.module_made)
        to.add(cls, ModuleCalled, cls.module_called, waits=True)

    def module_made(self, interp: Interpreter, event: ModuleMade) -> None:
        """A module was made: a container, of a list that was multiplied?"""
        made, container = event.module.made_at, container_name(event.module)
        if not isinstance(made, ast.Call) or container is None:
            return
        multiplied = next(_multiplied(interp, made), None)
        layer = _repeated(event.module) if multiplied is not None else None
        if multiplied is None or layer is None:
            return
        place = interp.place(multiplied)
        if isinstance(multiplied, COMPREHENSIONS) and container != "Sequential":
            self.listed[id(layer)] = Listed(layer, place)
        else:
            tell(interp, layer, place)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module was called: with what it has computed itself?"""
        known = self.listed.get(id(event.module))
        if known is None or known.layer is not event.module or event.node is None:
            return
        given = graph_of(event.call.get(0, "input"))
        behind = walk_order([given], None) if given is not None and known.results else []
        if any(node is one for node in behind for one in known.results):
            del self.listed[id(event.module)]
            tell(interp, known.layer, known.place)
        else:
            known.results.append(event.node)


def tell(interp: Interpreter, layer: Instance, place: Place, detail: str = "") -> None:
    """Tell of a module that serves as several, where it is trained."""
    trained = [tensor for _, tensor in parameters(layer) if tensor.requires is not None]
    if trained:
        note(interp, Pitfall.LAYER_MULTIPLIED, place, tensor=trained[0].name, detail=detail)


def _repeated(container: Instance) -> Instance | None:
    """The module that a container holds several times; the first where their number is unknown."""
    parts = [part for part in container.attributes.values() if isinstance(part, Instance)]
    if container.unknown is not None or container.partial:
        return parts[0] if parts else None
    return next((part for part in parts if sum(one is part for one in parts) > 1), None)


def _multiplied(interp: Interpreter, call: ast.Call) -> Iterator[ast.expr]:
    """What a container is given, where that is one element, several times."""
    for given in call.args:
        node = given.value if isinstance(given, ast.Starred) else given
        for one in _bindings(interp, node) if isinstance(node, ast.Name) else (node,):
            if _is_repeated(interp, one):
                yield one


def _is_repeated(interp: Interpreter, node: ast.expr) -> bool:
    """Whether a list or dictionary is made of one element."""
    if isinstance(node, ast.BinOp):
        return _is_one(node) and not _is_chosen(interp, node)
    if isinstance(node, ast.Call):
        return code_of(node.func) == "dict.fromkeys"
    return isinstance(node, COMPREHENSIONS) and _repeats(node)


def _repeats(node: ast.ListComp | ast.GeneratorExp) -> bool:
    """Whether all elements are one name that is bound outside."""
    targets = (part for one in node.generators for part in ast.walk(one.target))
    own = {part.id for part in targets if isinstance(part, ast.Name)}
    return isinstance(node.elt, ast.Name) and node.elt.id not in own


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
