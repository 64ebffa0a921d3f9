"""What runs in a thread of the engine, as hooks do on a GPU.

One here stands for it, which Python has not started either, and which has the dispatch modes of the
thread that waits for it.
"""

import _thread
import builtins
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode, _pop_mode, _push_mode

from tests.live.programs import Run

Work = Callable[[], object]


def engine(tasks: SimpleQueue[tuple[Work, SimpleQueue[None]] | None]) -> None:
    """Do what is asked for, until nothing is."""
    while (task := tasks.get()) is not None:
        work, done = task
        work()
        done.put(None)


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs something in that thread, and waits for it; programs know it by this name."""
    tasks: SimpleQueue[tuple[Work, SimpleQueue[None]] | None] = SimpleQueue()
    _thread.start_new_thread(engine, (tasks,))

    def run(work: Work) -> None:
        mode, done = _get_current_dispatch_mode(), SimpleQueue[None]()

        def with_mode() -> None:
            if mode is not None:
                _push_mode(mode)
            work()
            if mode is not None:
                _pop_mode()

        tasks.put((with_mode, done))
        done.get()

    monkeypatch.setattr(builtins, "there", run, raising=False)
    yield run
    tasks.put(None)


def make_nodes(number: int) -> None:
    x = torch.ones(1, requires_grad=True)
    for _ in range(number):
        x * 2


IN_HOOKS = {
    "nothing that is seen": "None",
    "an operator without a node": "there(lambda: g * 2)",
    "nodes of other operators": "there(torch.enable_grad()(lambda: [w.sin() for _ in range(99)]))",
}


@pytest.mark.parametrize("earlier", [0, 10_000])
@pytest.mark.parametrize("name", IN_HOOKS)
def test_a_hidden_write_is_told_where_hooks_run_in_a_thread_of_the_engine(
    name: str, earlier: int, there: Any, traced: Run
) -> None:
    there(lambda: make_nodes(earlier))
    run = traced(
        f"""
        import torch
        w = torch.ones(1, requires_grad=True)
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
        opt = torch.optim.Adam(net.parameters(), fused=True)
        first = net(torch.ones(1, 2)).sum()
        first.register_hook(lambda g: {IN_HOOKS[name]} and None)
        first.backward()
        loss = net(torch.ones(1, 2)).sum()
        opt.step()
        loss.backward()
        """
    )
    assert run.rows() == {"saved": 8, "modified": 9, "needed": 10}
