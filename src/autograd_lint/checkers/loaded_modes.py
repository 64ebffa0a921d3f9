"""Modules that a program loads and runs without gradients, and never puts into evaluation mode.

net = Net()                                 # has dropout or batch normalization
net.load_state_dict(torch.load(path))
with torch.no_grad():
    for x in images:
        save(net(x))                        # without net.eval()
"""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.layer_calls import LayerCalls
from autograd_lint.checkers.module_modes import mode_set_at, training
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_modes import is_part_of_forward, is_validation
from autograd_lint.checkers.training_record import written_since
from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.pitfalls import LOADED, Pitfall
from autograd_lint.engine.tensor import CERTAINLY
from autograd_lint.facts.body import body
from autograd_lint.libraries.torch.modules.modules import parameters
from autograd_lint.libraries.torch.modules.states import LOADING
from autograd_lint.places import Place
from autograd_lint.project.code import code_of
from autograd_lint.vm.events import ModuleCalled
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance

# A generator that is given noise is often run in training mode, on purpose.
_NOISE = re.compile(r"rand|normal|noise|latent|\bz\b")


@dataclass(slots=True, eq=False, repr=False)
class LoadedModes(Checker):
    """The first call of each loaded module, by the module; `trains` says that something has a
    graph, so that the program may train."""

    run: dict[int, tuple[Place, frozenset[Assumption]]] = field(default_factory=dict)
    trains: bool = False

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ModuleCalled, cls.module_called)

    def module_called(self, interp: Interpreter, event: ModuleCalled) -> None:
        """A module has given a result: without a graph, in training mode, and loaded?"""
        module, call = event.module, event.call.node
        if self.trains or not interp.whole or not isinstance(module, Instance) or not event.itself:
            return
        if training(module) is not True or is_part_of_forward(interp):
            return
        measured = is_validation(interp, module, call)
        self.trains |= event.node is not None and not measured
        if id(module) in self.run or (interp.engine.recording and not measured):
            return
        if not _is_loaded(interp, module) or (not measured and _is_given_noise(interp, call)):
            return
        if interp.state(LayerCalls).has_run_dependent(module):
            name = os.path.basename(interp.source.filename)
            meant = Assumption(Kind.MEANT_AS_EVALUATION, name, weight=0)
            because = CERTAINLY if measured else frozenset({meant})
            self.run[id(module)] = interp.place(call), because

    def end(self, interp: Interpreter) -> None:
        """The run is over: has it trained nothing?"""
        if self.trains or interp.opaque_backward or interp.engine.backward.passes:
            return
        for place, because in self.run.values():
            note(interp, Pitfall.TRAINING_MODE, place, detail=LOADED, assumptions=because)


def _is_loaded(interp: Interpreter, module: Instance) -> bool:
    """Whether all parameters of a module were loaded, and nothing has set its mode since it was
    made."""
    own = [tensor for _, tensor in parameters(module)]
    loaded = bool(own) and all(LOADING in written_since(one, (0, 0)) for one in own)
    return loaded and mode_set_at(interp, module) is None


def _is_given_noise(interp: Interpreter, call: ast.AST) -> bool:
    """Whether what a call is given first is drawn at random, by its name or what is bound to it."""
    given = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if given is None:
        return False
    function = interp.frame.function
    found = body(function.node if function is not None else interp.source.tree)
    bound = [one.value for one in found.bindings if one.path == code_of(given)]
    return any(_NOISE.search(code_of(one)) for one in (given, *bound))
