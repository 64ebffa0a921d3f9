"""Processes: each runs its function once, on memory of its own.

Source: torch/multiprocessing/spawn.py, https://docs.python.org/3/library/multiprocessing.html
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import (
    External,
    Function,
    Instance,
    Items,
    Mapping,
    Native,
    Unknown,
    Value,
)


def spawn(interp: Interpreter, call: Call) -> Value:
    """`spawn(function, args, nprocs)`: each process calls `function(number, *args)`."""
    given = call.get(1, "args", Items("tuple", []))
    args = given.items if isinstance(given, Items) else [Unknown("the arguments")]
    _run(interp, call.get(0, "fn"), [Unknown("the process", "int"), *args], {}, call)
    return None


def process(interp: Interpreter, call: Call) -> Value:
    """`Process(target=..., args=..., kwargs=...)`, which runs when it is started."""
    args = call.keywords.get("args")
    options = call.keywords.get("kwargs")
    started = partial(
        _start,
        target=call.keywords.get("target"),
        args=args if isinstance(args, Items) else Items("tuple", []),
        options=options if isinstance(options, Mapping) else Mapping({}),
    )
    return Instance(External("multiprocessing.Process"), {"start": Native("start", started)})


def _start(interp: Interpreter, call: Call, target: Value, args: Items, options: Mapping) -> Value:
    named = {name: value for name, value in options.entries.items() if isinstance(name, str)}
    _run(interp, target, args.items, named, call)
    return None


def _run(
    interp: Interpreter,
    function: Value,
    args: Sequence[Value],
    named: dict[str, Value],
    call: Call,
) -> None:
    """One process stands for all: what it leaves behind, no other finds."""
    if not isinstance(function, Function) or function.node not in interp.record.reached.entered:
        with interp.engine.mode(grad=True):
            call_value(interp, function, Call(list(args), named, call.node))
