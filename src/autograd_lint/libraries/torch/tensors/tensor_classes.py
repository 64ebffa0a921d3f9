"""Tensors that are objects of a class of the program: `tensor.as_subclass(Length)`."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import OperatorRun
from autograd_lint.vm.instances import bind_to
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Function, Value


@dataclass(slots=True, eq=False, repr=False)
class TensorClasses(Listener):
    """The tensors of a run that are objects of a class of the program, by identity."""

    known: dict[int, tuple[Tensor, Class]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, OperatorRun, cls.ran, waits=True)

    def of(self, tensor: object) -> Class | None:
        """The class of the program that a tensor is an object of."""
        found = self.known.get(id(tensor))
        return found[1] if found is not None and found[0] is tensor else None

    def put(self, tensor: Tensor, cls: Class) -> None:
        """A tensor is an object of a class from now on."""
        self.known[id(tensor)] = tensor, cls

    def ran(self, interp: Interpreter, event: OperatorRun) -> None:
        """What an operator makes of an object is one as well.

        A class with a `__torch_function__` of its own says something else.
        Source: `Tensor.__torch_function__` in torch/_tensor.py.
        """
        if not self.known or event.operation.operator == "as_subclass":
            return
        classes = filter(None, map(self.of, event.operation.arguments.values()))
        cls = next((one for one in classes if one.find("__torch_function__") is None), None)
        for result in event.results if cls is not None else ():
            if cls is not None and self.of(result) is None:
                self.put(result, cls)


def method_of_class(interp: Interpreter, tensor: Tensor, name: str, node: ast.AST) -> Value | None:
    """What the class of a tensor gives it under a name; None where that is what torch gives."""
    cls = interp.state(TensorClasses).of(tensor)
    found = cls.find(name) if cls is not None else None
    return bind_to(interp, found, tensor, node) if isinstance(found, Function) else None
