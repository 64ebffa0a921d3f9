"""Modules that are given their own state: two names for one module, or the wrong name.

target = online                               # not a copy
target.load_state_dict(online.state_dict())   # nothing to load

target.load_state_dict(target.state_dict())   # the state of `online` was meant
"""

from __future__ import annotations

import ast

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.leaf_record import stepped
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.second_names import binding_of
from autograd_lint.checkers.shared_parameters import MEANT_AS_COPY
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import SAME_NAME, Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import StateLoaded
from autograd_lint.libraries.torch.modules.states import LOADING, STATE
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter


class OwnStates(Checker):
    """Looks at each parameter that is loaded from a state."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, StateLoaded, cls.loaded)

    def loaded(self, interp: Interpreter, event: StateLoaded) -> None:
        """A parameter is loaded: is the state that of the module itself?"""
        kept, names = event.state, _names(event.node)
        if names is None or not event.is_own or kept.made is None or kept.made.operator != STATE:
            return
        loading = interp.place(event.node)
        if names[0] == names[1]:
            if _is_beside_the_trained(interp, event.parameter):
                note(interp, Pitfall.OWN_STATE, loading, tensor=names[0], detail=SAME_NAME)
            return
        source = interp.world.source
        statement = binding_of(source, *names)
        bound = source.place(statement) if statement is not None else loading
        note(
            interp,
            Pitfall.OWN_STATE,
            bound,
            tensor=names[0],
            operator=names[1],
            needed=Needed(loading, LOADING) if statement is not None else None,
            assumptions=event.assumptions | {MEANT_AS_COPY},
        )


def _is_beside_the_trained(interp: Interpreter, parameter: Tensor) -> bool:
    """Whether others are trained and this parameter is not: it is one of a target, and its own
    state is no test of what saves and loads."""
    trained = stepped(interp)
    return bool(trained) and not any(leaf is parameter for leaf in trained)


def _names(node: ast.AST) -> tuple[str, str] | None:
    """What `load_state_dict` is called on, and whose state it is given in the same call; None
    where that does not show."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return None
    given = node.args[0]
    if not isinstance(given, ast.Call) or not isinstance(given.func, ast.Attribute):
        return None
    names = ast.unparse(node.func.value), ast.unparse(given.func.value)
    return names if given.func.attr == "state_dict" else None
