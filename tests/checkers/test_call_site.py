"""Losses that are handed to objects of another file, which store them: told of where they are.

Each program is run on torch as well, which says whether the graphs of all steps stay alive.
"""

import gc
import sys
import weakref
from pathlib import Path
from types import ModuleType

import pytest
import torch

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

TRAIN = """
import torch
from storing import {name}
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
store = {name}()
for step in range(6):
    loss = model(torch.ones(2, 3)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    logs = {{}}
    {given}
    del loss
"""
STORES = {
    "Meter": """
class Meter:
    def __init__(self):
        self.sum = self.count = 0
    def update(self, value, n=1):
        self.sum += value * n
        self.count += n
""",
    "History": """
from collections import defaultdict
class History:
    def __init__(self):
        self.values = defaultdict(list)
    def add(self, **metrics):
        for name, value in metrics.items():
            self.values[name].append(value)
""",
    "Window": """
from collections import deque
class Window:
    def __init__(self):
        self.values = deque(maxlen=2)
    def update(self, value):
        self.values.append(value)
""",
    "Trimmed": """
class Trimmed:
    def __init__(self):
        self.values = []
    def update(self, value):
        self.values.append(value)
        self.trim()
    def trim(self):
        if len(self.values) > 2:
            self.values.pop(0)
""",
    "Sliced": """
class Sliced:
    def __init__(self):
        self.values = []
    def update(self, value):
        self.values.append(value)
        if len(self.values) > 2:
            del self.values[:-2]
""",
    "Engine": """
class Engine:
    def __init__(self):
        self.handlers, self.output = {}, None
    def on(self, event):
        def register(handler):
            self.handlers.setdefault(event, []).append(handler)
            return handler
        return register
    def fire(self, event, output):
        self.output = output
        for handler in self.handlers[event]:
            handler(self)
        self.output = None
""",
    "Callbacks": """
class Recorder:
    def __init__(self):
        self.losses = []
    def on_batch_end(self, logs):
        self.losses.append(logs["loss"])
class Callbacks:
    def __init__(self):
        self.each = [Recorder()]
    def on_batch_end(self, logs):
        for one in self.each:
            one.on_batch_end(logs)
""",
    "Logger": """
class Logger:
    def __init__(self):
        self.rows = []
    def log(self, step, **values):
        row = {"step": step}
        row.update(values)
        self.rows.append(row)
""",
}
CASES = [
    ("Meter", "store.update(loss, 2)", 13),
    ("Meter", "store.update(loss.item(), 2)", None),
    ("History", "store.add(loss=loss)", 13),
    ("History", "store.add(loss=loss.item())", None),
    ("Window", "store.update(loss)", None),
    ("Trimmed", "store.update(loss)", None),
    ("Sliced", "store.update(loss)", None),
    ("Callbacks", "store.on_batch_end({'loss': loss})", 13),
    ("Callbacks", "logs['loss'] = loss\n    store.on_batch_end(logs)", 13),
    ("Callbacks", "store.on_batch_end({'loss': loss.detach()})", None),
    ("Logger", "store.log(step, loss=loss)", 13),
    ("Logger", "store.log(step, loss=loss.detach())", None),
]
BOUNDED = {"store.update(loss)"}
HANDLED = """
import torch
from storing import Engine
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
engine, losses = Engine(), []

@engine.on("step")
def collect(engine):
    losses.append(engine.output{cut})

for step in range(6):
    loss = model(torch.ones(2, 3)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    engine.fire("step", loss)
    del loss
"""


@pytest.mark.parametrize(("cut", "rows"), [("", [10]), (".detach()", [])])
def test_what_an_object_is_told_of_by_a_decorator_is_called_by_it(
    cut: str, rows: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HANDLED.format(cut=cut)
    write_tree(tmp_path, {"storing.py": STORES["Engine"], "train.py": text})
    assert _told(tmp_path, text) == rows
    assert _alive("Engine", text, monkeypatch) == (6 if rows else 0)


@pytest.mark.parametrize(("name", "given", "row"), CASES)
def test_what_is_stored_elsewhere_is_told_of_where_it_is_handed_over(
    name: str,
    given: str,
    row: int | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = TRAIN.format(name=name, given=given)
    write_tree(tmp_path, {"storing.py": STORES[name], "train.py": text})
    assert _told(tmp_path, text) == ([] if row is None else [row])
    assert _alive(name, text, monkeypatch) == (6 if row else 2 if given in BOUNDED else 0)


def _told(folder: Path, text: str) -> list[int]:
    found = analyse(Source(str(folder / "train.py"), text), Project([folder]))
    return [fault.place.row for fault in found if fault.place and fault.weight <= 1]


class _Tag:
    """What a node of a graph holds on to, to tell that the node is alive."""


def _alive(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many of the six graphs are alive in the end, on torch."""
    tags: list[weakref.ref[_Tag]] = []

    def tag(loss: torch.Tensor) -> None:
        mark = _Tag()
        assert loss.grad_fn is not None
        loss.grad_fn.metadata["tag"] = mark
        tags.append(weakref.ref(mark))

    module = ModuleType("storing")
    exec(STORES[name], vars(module))
    monkeypatch.setitem(sys.modules, "storing", module)
    names = {"tag": tag}
    exec(text.replace("loss.backward()", "tag(loss); loss.backward()"), names)
    gc.collect()
    return sum(mark() is not None for mark in tags)


NORMALIZED = """
import torch
class Bank(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor([-1.0]))
    def forward(self, x):
        out = x.exp()
        scale = self.scale[0].item()
        {when}
            self.scale[0] = out.mean()
            scale = self.scale[0].item()
        return out / scale
"""
USING = """
import torch
from storing import Bank
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
bank = Bank()
for step in range(6):
    loss = bank(model(torch.ones(2, 3))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("when", "rows"), [("if True:", [8]), ("if scale < 0:", [])])
def test_what_another_file_sets_once_does_not_grow(
    when: str, rows: list[int], tmp_path: Path
) -> None:
    write_tree(tmp_path, {"storing.py": NORMALIZED.format(when=when), "train.py": USING})
    assert _told(tmp_path, USING) == rows


HOOKED = """
import torch
import torchvision

model = torchvision.models.vgg16()
outputs = []
model.classifier[0].register_forward_hook(lambda module, given, output: outputs.append(output))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.load("images.pt"):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
"""


def test_what_the_code_of_a_library_gives_to_a_hook_is_kept_by_the_hook() -> None:
    found = [one for one in analyse(Source("a.py", HOOKED)) if one.kind is Pitfall.GRAPH_KEPT]
    assert [one.place.row for one in found if one.place is not None] == [7]
