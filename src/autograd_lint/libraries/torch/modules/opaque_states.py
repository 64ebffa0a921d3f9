"""States of modules of unknown classes: what `state_dict()` gives, and what loading it tells.

target.load_state_dict(online.state_dict())     # both are modules, whatever they are called
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import StateLoaded, TensorCopied
from autograd_lint.libraries.torch.modules.opaque_parameters import (
    is_module_by_use,
    name_in,
    opaque_parameter,
)
from autograd_lint.libraries.torch.modules.states import load, loads_all, states_of
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import DATA, Mapping, Unknown, Value

_OWNER = "the state of something"


def state_of(interp: Interpreter, module: Unknown, call: Call) -> Mapping:
    """The state of what is known to be a module: that of the one parameter that stands for all."""
    kept = states_of(interp, [(name_in(module), opaque_parameter(module))], call.node)
    return Mapping(kept, Unknown("a tensor of the state", weight=DATA))


def later_state(interp: Interpreter, owner: Unknown, call: Call) -> Unknown:
    """The state of what may turn out to be a module."""
    state = Unknown(interp.text(call.node), weight=DATA)
    state.attributes[_OWNER] = owner
    return state


def take_for_modules(owner: Unknown, call: Call) -> None:
    """What is given the state of something else is a module, as that is: nobody does so with what
    has no weights."""
    source = _owner_of(call.get(0, "state_dict"))
    if source is not None and source.root is not owner.root:
        opaque_parameter(source)
        opaque_parameter(owner)


def load_state(interp: Interpreter, module: Unknown, call: Call) -> None:
    """Write the parameters of a module that is not known, perhaps from a state of its own."""
    interp.record.forwards.loaded = True
    parameter, given = opaque_parameter(module), _loaded(interp, call)
    kept = _state_in(given)
    if isinstance(kept, Tensor):
        interp.emit(TensorCopied(parameter, kept))
        because = frozenset({Assumption(Kind.IS_MODULE, module.origin, weight=0)})
        is_own = kept.storage is parameter.storage
        interp.emit(StateLoaded(parameter, kept, call.node, because, is_own))
    if kept is not None or loads_all(call):
        load(parameter, kept, interp.place(call.node))


def _state_in(state: Value) -> Value:
    """What stands for all that is in the state of a module that is not known; None elsewhere."""
    entries = state.entries.items() if isinstance(state, Mapping) else ()
    return next((kept for name, kept in entries if isinstance(name, Unknown)), None)


def _loaded(interp: Interpreter, call: Call) -> Value:
    """The state that is loaded; that of what has turned out to be a module is as it was taken."""
    given = call.get(0, "state_dict")
    source = _owner_of(given)
    if source is None or not is_module_by_use(source.root):
        return given
    return state_of(interp, source, call)


def _owner_of(state: Value) -> Unknown | None:
    source = state.attributes.get(_OWNER) if isinstance(state, Unknown) else None
    return source if isinstance(source, Unknown) else None
