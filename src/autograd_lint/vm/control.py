"""How control leaves a statement other than by falling through."""

from __future__ import annotations

from autograd_lint.vm.values import Value


class Control(Exception):
    """Base of the interpreter's own transfers of control."""


class BreakLoop(Control):
    pass


class ContinueLoop(Control):
    pass


class ReturnValue(Control):
    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class ProgramRaises(Control):
    """The program raised; `name` is the exception's class, empty when unknown."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class PythonRaises(ProgramRaises):
    """Python itself raised: a value of the program does not allow what the program does with it."""
