"""Threads: what they run, they run in a grad mode of their own."""

from __future__ import annotations

from autograd_lint.libraries.torch.events import ThreadRun
from autograd_lint.vm.calls import Call, call_value
from autograd_lint.vm.iteration import iterate
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import External, Instance, Items, Native, Unknown, Value

POOL = "concurrent.futures.ThreadPoolExecutor"


def thread(interp: Interpreter, call: Call) -> Value:
    """`threading.Thread(target=..., args=...)`, run when it is started."""
    target, given = call.keywords.get("target"), call.keywords.get("args")
    args = list(given.items) if isinstance(given, Items) else []

    def start(inner: Interpreter, later: Call) -> Value:
        _run_in_thread(inner, target, args, later)
        return None

    return Instance(External("threading.Thread"), {"start": Native("start", start)})


def pool(interp: Interpreter, call: Call) -> Value:
    """`ThreadPoolExecutor(...)`."""
    made = Instance(
        External(POOL), {"map": Native("map", _map), "submit": Native("submit", _submit)}
    )
    made.attributes["__enter__"] = Native("__enter__", lambda _, __: made)
    return made


def _map(interp: Interpreter, call: Call) -> Value:
    iteration = iterate(interp, call.get(1, "iterable"), call.node)
    rows = iteration.gathered()
    function = call.get(0, "func")
    results = [_run_in_thread(interp, function, [row], call) for row in rows]
    rest = None if iteration.complete else Unknown("a result", weight=2)
    return Items("list", results, rest)


def _submit(interp: Interpreter, call: Call) -> Value:
    result = _run_in_thread(interp, call.get(0, "func"), list(call.args[1:]), call)
    given = Native("result", lambda _, __: result)
    return Instance(External("concurrent.futures.Future"), {"result": given})


def _run_in_thread(interp: Interpreter, function: Value, args: list[Value], call: Call) -> Value:
    """Run a function in another thread, where grad mode is on whatever it is here."""
    with interp.engine.mode(grad=True, inference=False):
        before = interp.engine.clock
        result = call_value(interp, function, Call(args, {}, call.node))
        recorded = interp.engine.youngest > before
    interp.emit(ThreadRun(function, call.node, before, recorded))
    return result
