"""Objects that gather tensors over many calls, and dictionaries of sums."""

from textwrap import dedent

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source
from tests.checkers.noting import noted
from tests.vm.running import kinds

METRIC = """
    import torch
    import torch.nn.functional as F

    class Loss:
        def __init__(self):
            self.total = torch.tensor(0.0)

        def update(self, output):
            prediction, target = output
            self.total += F.mse_loss(prediction, target)DETACHED

        def compute(self):
            RESULT
    """
LOG = """
    import torch
    from collections import defaultdict
    from torch import nn

    class Trainer:
        def __init__(self):
            self.stored = defaultdict(lambda: defaultdict(list))

        def compute_loss(self, model: nn.Module, batch):
            loss = nn.functional.mse_loss(model(batch).logits, batch)
            metrics = {}
            metrics[f"{'train'}_loss"] = loss.mean()DETACHED
            self.store(metrics)
            return loss

        def store(self, metrics):
            for key, value in metrics.items():
                self.stored["train"][key].append(value)

        def log(self, logs):
            for key, values in self.stored["train"].items():
                logs[key] = torch.tensor(values).mean().item()
    """
SUMS = """
    import torch
    import torch.nn.functional as F
    from collections import defaultdict

    class Trainer:
        def __init__(self, model, optimizer):
            self.model, self.optimizer = model, optimizer

        def step(self, x, y):
            out = self.model(x)
            losses = {"a": F.mse_loss(out, y), "b": F.l1_loss(out, y)}
            self.optimizer.zero_grad()
            sum(list(losses.values())).backward()
            self.optimizer.step()
            return losses

        def epoch(self, loader):
            total = defaultdict(lambda: torch.tensor(0.0))
            for x, y in loader:
                for name, value in self.step(x, y).items():
                    total[name] += valueDETACHED
            return total
    """


def kept(program: str) -> list[Fault]:
    faults = analyse(Source("program.py", dedent(program)))
    return [fault for fault in faults if fault.kind is Pitfall.GRAPH_KEPT and fault.weight <= 1]


@pytest.mark.parametrize("result", ["return self.total.item()", "return float(self.total / 3)"])
def test_a_metric_that_only_gives_a_number(result: str) -> None:
    program = METRIC.replace("RESULT", result)
    (fault,) = kept(program.replace("DETACHED", ""))
    assert fault.tensor == "self.total"
    assert not kept(program.replace("DETACHED", ".detach()"))


def test_a_sum_that_may_be_differentiated() -> None:
    program = METRIC.replace("RESULT", "return self.total")
    assert not kept(program.replace("DETACHED", ""))


def test_lists_that_are_only_logged() -> None:
    (fault,) = kept(LOG.replace("DETACHED", ""))
    assert fault.place is not None
    assert fault.place.row == 13
    assert not kept(LOG.replace("DETACHED", ".detach()"))


def test_a_dictionary_of_sums() -> None:
    (fault,) = kept(SUMS.replace("DETACHED", ""))
    assert fault.tensor == "total[name]"
    assert not kept(SUMS.replace("DETACHED", ".detach()"))


def test_a_method_behind_a_decorator_of_the_program() -> None:
    decorated = METRIC.replace(
        "class Loss:",
        """from functools import wraps

    def counted(method):
        @wraps(method)
        def wrapper(self, *args, **kwargs):
            return method(self, *args, **kwargs)
        return wrapper

    class Loss:""",
    ).replace("        def update", "        @counted\n        def update")
    program = decorated.replace("RESULT", "return self.total.item()")
    assert kept(program.replace("DETACHED", ""))
    assert not kept(program.replace("DETACHED", ".detach()"))


RUNNING = """
    import torch
    from torch import nn

    class Codebook(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.layer = nn.Linear(size, size)
            self.register_buffer("mean", torch.zeros(size))

        def forward(self, x):
            hidden = self.layer(x)
            self.mean = 0.9 * self.mean + 0.1 * hidden.mean(0)DETACHED
            return hidden
    """
PROTOCOL = """
    import torch
    from ignite.metrics import Metric

    class MeanError(Metric):
        def reset(self):
            self.total = 0.0
            self.count = 0

        def update(self, output):
            prediction, target = output
            self.total += torch.nn.functional.l1_loss(prediction, target)DETACHED
            self.count += target.shape[0]

        def compute(self):
            return self.total / self.count
    """


@pytest.mark.parametrize("program", [RUNNING, PROTOCOL], ids=["a buffer", "a metric"])
def test_what_grows_from_step_to_step_and_is_never_walked(program: str) -> None:
    assert len(kept(program.replace("DETACHED", ""))) == 1
    assert kept(program.replace("DETACHED", ".detach()")) == []


LOSS = """
    class Loss:
        def __init__(self, criterion):
            self.criterion = criterion
            self.total = 0
        def add(self, outputs, targets):
            self.total += F.nll_loss(outputs, targets)
        def reset(self):
            self.total = 0
        def back(self):
            {walk}
    """


def test_a_sum_that_its_object_runs_backward_from() -> None:
    assert Pitfall.GRAPH_KEPT not in noted(LOSS.format(walk="self.total.backward()"))
    assert Pitfall.GRAPH_KEPT in noted(LOSS.format(walk="return self.total.item()"))


STEPS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.RNNCell(2, 2), nn.Linear(2, 1)

    def step(self, x, state):
        state = self.cell(x, state)
        return self.head(state), state

net, outputs, state = Net(), [], torch.zeros(1, 2)
net.eval()
for x in torch.unbind(torch.rand(4, 1, 2)):
    y, {name} = net.step(x, state)
    outputs.append(y)
print(torch.stack(outputs))
"""


@pytest.mark.parametrize(
    ("name", "found"), [("state", ["evaluation-builds-graphs"]), ("_", ["graph-kept"])]
)
def test_outputs_of_one_sequence_share_its_graph(name: str, found: list[str]) -> None:
    assert kinds(STEPS.format(name=name)) == found
