"""Calls that were seen while the project ran, made again with what is known of them."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.graph import Node
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.libraries.torch.modules.opaque_parameters import GIVEN
from autograd_lint.libraries.torch.operators.apply import apply_operator, find_operator
from autograd_lint.libraries.torch.operators.kinds import DTYPES
from autograd_lint.observed import values as observed
from autograd_lint.observed.calls import Call as Recorded
from autograd_lint.operators.facts import Operator
from autograd_lint.project.source import Source
from autograd_lint.scenarios.learning import differentiate, learn
from autograd_lint.scenarios.method_harnesses import finish, node_of
from autograd_lint.scenarios.objects import make_object
from autograd_lint.vm.calls import Call, call_function
from autograd_lint.vm.imports import load_module, module_of_file, settled
from autograd_lint.vm.instances import call_instance, is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    WRITTEN_AS,
    Class,
    Function,
    Instance,
    Items,
    Lazy,
    Mapping,
    Module,
    Unknown,
    Value,
)

_CONSTANTS: dict[str, bool | None] = {"none": None, "true": True, "false": False}
_HINTS = {"int": "int", "number": "number", "text": "string", "array": "array"}
_DEFAULT = "float32"  # the dtype that goes without a precision


def run_recorded(
    interp: Interpreter, owner: Class | Function, function: Function, recorded: Recorded
) -> None:
    """Call a function, or a method of an object of `owner`, as it was called in a recorded run."""
    as_seen = Assumption(Kind.CALL_RECORDED, function.name, weight=0)
    with interp.engine.supposing(as_seen):
        instance = _object(interp, owner, recorded) if isinstance(owner, Class) else None
        if isinstance(owner, Class) and instance is None and function.kind == "function":
            return
        bound = _arguments(interp, function, recorded)
        with interp.engine.mode(grad=recorded.grad_mode):
            call = Call([], bound, function.node)
            result = _result(interp, function, call, instance)
        _finish(interp, function, result, instance, recorded)


def _result(
    interp: Interpreter, function: Function, call: Call, instance: Instance | None
) -> Value:
    if instance is None or function.kind != "function":
        return call_function(interp, function, call)
    call.node = node_of(instance)
    if function.name == "forward" and is_module(instance):
        return call_instance(interp, instance, call)
    return call_function(interp, function, call, instance)


def _finish(
    interp: Interpreter,
    function: Function,
    result: Value,
    instance: Instance | None,
    recorded: Recorded,
) -> None:
    """Backward through what was returned, where the run had it, or where it may be wanted."""
    if not recorded.trained:
        finish(interp, function, result)
    elif instance is not None and function.name == "forward" and is_module(instance):
        learn(interp, instance, result, CERTAINLY)
    else:
        differentiate(interp, result, CERTAINLY)


def _object(interp: Interpreter, cls: Class, recorded: Recorded) -> Instance | None:
    """The object whose method was called, with the attributes that it had."""
    instance = make_object(interp, cls, Unknown("self"))
    if instance is not None and recorded.own is not None:
        known = {
            name: _Values(interp, cls.node, cls.source).of(f"self.{name}", value)
            for name, value in recorded.own.entries
        }
        instance.attributes.update(known)
    return instance


def _arguments(interp: Interpreter, function: Function, recorded: Recorded) -> dict[str, Value]:
    values = _Values(interp, function.node, function.source)
    return {name: values.of(name, value) for name, value in recorded.arguments.entries}


class _Values:
    """The values that descriptions of one call stand for."""

    def __init__(self, interp: Interpreter, node: ast.AST, source: Source) -> None:
        self._interp = interp
        self._node = node
        self._source = source
        self._tensors: dict[str, Tensor] = {}

    def of(self, origin: str, seen: observed.Value) -> Value:
        """A value of that description; `origin` is how the program speaks of it."""
        match seen:
            case observed.Plain(kind=kind):
                hint = _HINTS.get(kind, "")
                return _CONSTANTS[kind] if kind in _CONSTANTS else Unknown(origin, hint)
            case observed.Sequenced(kind=kind, items=items):
                known = [self.of(f"{origin}[{at}]", one) for at, one in enumerate(items)]
                return Items(kind, known, Unknown(f"{origin}[...]") if seen.more else None)
            case observed.Named(entries=entries):
                named: dict[Value, Value] = {
                    name: self.of(f"{origin}[{name!r}]", one) for name, one in entries
                }
                return Mapping(named, Unknown(f"{origin}[...]") if seen.more else None)
            case observed.Object():
                return self._object(origin, seen)
            case observed.Tensor():
                found = self._tensors[origin] = self._tensor(origin, seen)
                return found

    def _object(self, origin: str, seen: observed.Object) -> Value:
        found = Unknown(origin)
        found.attributes[WRITTEN_AS] = Lazy(partial(_class_of, seen.cls, self._source))
        if seen.module:
            found.attributes[GIVEN] = True
        return found

    def _tensor(self, origin: str, seen: observed.Tensor) -> Tensor:
        kind = DTYPES.get(seen.dtype)
        precision = seen.dtype if kind == "float" and seen.dtype != _DEFAULT else ""
        found = Tensor(
            name=origin,
            dtype=kind,
            precision=precision,
            shape=seen.shape,
            contiguous=None,
            parameter=seen.parameter,
        )
        base = self._tensors.get(seen.view_of)
        if base is not None:
            found.storage = base.storage
            found.base = base.base or base
        if not seen.requires_grad:
            return found
        found.requires = CERTAINLY
        if seen.leaf:
            return found
        made = self._saved_by(seen.made_by, found)
        if made is not None:
            made.name = origin
            return made
        found.node = _computed(origin)
        return found

    def _saved_by(self, made_by: str, like: Tensor) -> Tensor | None:
        """The result of an operator of one tensor that keeps its result for backward."""
        interp = self._interp
        operator = find_operator(interp, f"torch.{made_by}") if made_by else None
        if operator is None or not _keeps_result(operator):
            return None
        given = replace(like, node=_computed(f"the input of {made_by}"), name=None)
        with interp.engine.mode(grad=True):
            made = apply_operator(interp, f"torch.{made_by}", [given], {}, self._node)
        return made if isinstance(made, Tensor) and made.requires_grad is not None else None


def _computed(what: str) -> Node:
    """The graph behind a tensor that is no leaf, of which it is not known how it was computed."""
    before = Node(f"what {what} is computed from", None, 0, CERTAINLY, opaque=True)
    return Node(what, None, 0, CERTAINLY, [before], frees=True, opaque=True)


def _keeps_result(operator: Operator) -> bool:
    """Whether an operator of one tensor keeps what it returns, whatever it is given."""
    saves = [save for form in operator.forms for save in form.saves]
    return operator.differentiable == {"0"} and any(one.is_result and one.sure for one in saves)


def _class_of(path: str, importer: Source, interp: Interpreter) -> Value:
    """The class of that dotted name, as far as the project has it; `__main__` is the file that
    uses it."""
    module, _, name = path.rpartition(".")
    if module == "__main__":
        found: Module | None = module_of_file(interp, importer)
    else:
        found = load_module(interp, importer, module, 0)
    if found is None or name not in found.scope.names:
        return None
    return settled(interp, found.scope, name)
