"""Lists that modules keep: emptied between two steps by a method of theirs, or never."""

import gc
import weakref

import pytest
import torch

from tests.vm.running import kinds

STATES = """
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 3).requires_grad_(True)
        self.states = []

    def forward(self, x):
        before = self.states[-1] if self.states else torch.zeros(2, 3)
        after = self.layer(torch.cat([x, before], 1)).tanh()
        self.states.append(after)
        return after

    def {name}(self):
        {emptied}

class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()

    def forward(self, x):
        return self.cell(x)
"""
EMPTIED = ["self.states = []", "self.states = list()  # anew", "self.states.clear()"]


@pytest.mark.parametrize("emptied", EMPTIED)
def test_what_a_method_may_empty_between_two_steps_is_empty(emptied: str) -> None:
    assert kinds(STATES.format(name="reset", emptied=emptied)) == []
    assert "graph-freed" in kinds(STATES.format(name="on_epoch_end", emptied=emptied))


def test_what_no_method_empties_is_carried_on() -> None:
    assert "graph-freed" in kinds(STATES.format(name="last", emptied="return self.states[-1]"))


LOGGED = """
import lightning.pytorch as pl
class Net(pl.LightningModule):
    def __init__(self, criterion):
        super().__init__()
        self.layer, self.criterion = nn.Linear(3, 1), criterion
        self.logs = []

    def step(self, x, y):
        loss = self.criterion(self.layer(x), y)
        return {{"loss": loss, "rows": x.size(0)}}

    def training_step(self, batch, index):
        x, y = batch
        log = self.step(x, y)
        self.logs.append({kept})
        return log

    def on_train_epoch_end(self):
        self.logs.clear()
"""


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ("log", ["graph-kept"]),
        ("log['loss']", ["graph-kept"]),
        ("{'a': log['loss']}", ["graph-kept"]),
        ("log['rows']", []),
        ("log['loss'].detach()", []),
    ],
)
def test_a_step_gathers_losses_of_a_criterion_that_is_not_known(
    kept: str, expected: list[str]
) -> None:
    assert kinds(LOGGED.format(kept=kept)) == expected
    assert _alive(kept) == (3 if expected else 0)


class _Tag:
    """What a node of a graph holds on to, to tell that the node is alive."""


def _alive(kept: str) -> int:
    """How many of the graphs of three such steps are alive before the list is cleared."""
    layer, logs, tags = torch.nn.Linear(3, 1), [], []
    for _ in range(3):
        loss = torch.nn.functional.mse_loss(layer(torch.ones(2, 3)), torch.ones(2, 1))
        log, mark = {"loss": loss, "rows": 2}, _Tag()
        assert loss.grad_fn is not None
        loss.grad_fn.metadata["tag"] = mark
        tags.append(weakref.ref(mark))
        logs.append(eval(kept, {"log": log}))
        loss.backward()
        del loss, log, mark
    gc.collect()
    return sum(tag() is not None for tag in tags)


KIND = """
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 4, batch_first=True)
        self.register_buffer("hidden", torch.zeros(1, 1, 4))

    def forward(self, x):
        out, state = self.rnn(x, self.hidden)
        self.hidden = state
        return out[:, -1]

    def reset(self, rows=1):
        self.hidden = {anew}
"""


@pytest.mark.parametrize(
    ("anew", "found"),
    [
        ("self.hidden.new_full((1, rows, 4), 0)", False),
        ("self.hidden.new_full((1, rows, self.hidden_size), 0)", False),
        ("torch.zeros_like(self.hidden)", False),
        ("torch.zeros(self.hidden.shape)", False),
        ("self.hidden * torch.zeros(4)", True),
    ],
)
def test_a_new_tensor_of_the_same_kind_is_no_old_one(anew: str, found: bool) -> None:
    assert ("graph-freed" in kinds(KIND.format(anew=anew))) is found


CUT_BY_ALL = """
class Trace(nn.Module):
    known = []

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.state = torch.zeros(1, 3)
        Trace.known.append(self)

    def forward(self, x):
        self.state = torch.tanh(self.layer(x) + self.state)
        return self.state

    @classmethod
    def cut(cls):
        for one in range(len(cls.known)):
            cls.known[one].state{detached}
"""


@pytest.mark.parametrize(("detached", "quiet"), [(".detach_()", True), (".sum()", False)])
def test_a_method_of_the_class_may_cut_off_what_its_objects_keep(
    detached: str, quiet: bool
) -> None:
    assert (kinds(CUT_BY_ALL.format(detached=detached)) == []) is quiet
