"""Modules that are given their own state under another name: two names, one module.

target = online                               # not a copy
target.load_state_dict(online.state_dict())   # nothing to load
"""

from __future__ import annotations

import ast

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.shared_parameters import MEANT_AS_COPY
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import StateLoaded
from autograd_lint.libraries.torch.modules.states import LOADING, STATE
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


class OwnStates(Checker):
    """Looks at each parameter that is loaded from a state."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StateLoaded, cls.loaded)

    def loaded(self, interp: Interpreter, event: StateLoaded) -> None:
        """A parameter is loaded: is the state that of the module itself, by another name?"""
        kept, names = event.state, _names(event.node)
        if names is None or not event.is_own or kept.made is None or kept.made.operator != STATE:
            return
        loading = interp.place(event.node)
        bound = _bound(interp.world.source, *names)
        note(
            interp,
            Pitfall.OWN_STATE,
            bound or loading,
            tensor=names[0],
            operator=names[1],
            needed=Needed(loading, LOADING) if bound else None,
            assumptions=event.assumptions | {MEANT_AS_COPY},
        )


def _names(node: ast.AST) -> tuple[str, str] | None:
    """What `load_state_dict` is called on, and whose state it is given in the same call; None
    where that is the same name or does not show."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    given = node.args[0]
    if not isinstance(given, ast.Call) or not isinstance(given.func, ast.Attribute):
        return None
    names = ast.unparse(node.func.value), ast.unparse(given.func.value)
    return names if given.func.attr == "state_dict" and names[0] != names[1] else None


def _bound(source: Source, name: str, other: str) -> Place | None:
    """Where one of two names was bound to the other; None where that does not show."""
    for node in source.each(ast.Assign):
        value = ast.unparse(node.value)
        targets = [ast.unparse(target) for target in node.targets]
        if (value == other and name in targets) or (value == name and other in targets):
            return source.place(node)
        if name in targets and other in targets:
            return source.place(node)
    return None
