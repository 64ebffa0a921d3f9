"""What a `with` enters, as far as the interpreter knows it: these are values as well."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from autograd_lint.engine.events import Created
from autograd_lint.immutable import immutable

if TYPE_CHECKING:
    from autograd_lint.vm.calls import Call
    from autograd_lint.vm.machine import Interpreter
    from autograd_lint.vm.values import Function, Value


@immutable
class GradMode:
    """A grad-mode context manager or decorator, and the mode it sets.

    `before` is the mode to go back to where making the context has already set the new one, `made`
    where the program asks for it.
    """

    grad: bool
    inference: bool | None = None
    before: bool | None = None
    made: Created | None = None


@immutable
class Manager:
    """A context manager that the interpreter itself carries out."""

    enter: Callable[[Interpreter], AbstractContextManager[Value]]


@immutable
class Raises:
    """A context manager that expects its body to raise (`pytest.raises`)."""


@immutable
class Suspended:
    """The context manager that a call of a `@contextmanager` function makes."""

    function: Function
    call: Call
    receiver: Value = None
