"""What frameworks and base classes do with the methods that are written for them."""

from pathlib import Path

from autograd_lint.analysis.files import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.vm.running import HEAD, faults, kinds

TRAINER = """
from collections import defaultdict
from transformers import Trainer

class Own(Trainer):
    def __init__(self, model):
        super().__init__(model)
        self.logged = {{"train": defaultdict(list), "eval": defaultdict(list)}}

    def {name}(self, model, inputs):
        mode = "train" if self.model.training else "eval"
        loss = torch.nn.functional.cross_entropy(model(inputs).logits, inputs["labels"])
        self.logged[mode]["loss"].append(loss{cut})
        return loss
"""


def test_a_trainer_trains_what_compute_loss_returns() -> None:
    assert kinds(TRAINER.format(name="compute_loss", cut="")) == ["graph-kept"]
    assert kinds(TRAINER.format(name="compute_loss", cut=".detach()")) == []
    assert kinds(TRAINER.format(name="compute_score", cut="")) == []


BASE = """
class Base:
    def fit_batch(self, batch):
        loss = self.objective(self.modules(batch), batch)
        loss.{does}()
        self.optimizer.step()
        self.optimizer.zero_grad()
"""
DERIVED = """
import base

class Own(base.Base):
    def objective(self, prediction, batch):
        loss = torch.nn.functional.mse_loss(prediction, batch)
        self.costs["all"].append(loss)
        return loss

    def on_stage_start(self):
        self.costs = {"all": []}
"""


def _of_project(folder: Path, base: str) -> list[str]:
    (folder / "base.py").write_text(HEAD + base)
    source = Source(str(folder / "own.py"), HEAD + DERIVED)
    found = analyse(source, Project([folder]))
    return [fault.kind.value for fault in found if fault.weight <= 1]


def test_a_base_class_tells_what_is_trained(tmp_path: Path) -> None:
    assert _of_project(tmp_path, BASE.format(does="backward")) == ["graph-kept"]


def test_a_base_class_that_trains_nothing(tmp_path: Path) -> None:
    assert _of_project(tmp_path, BASE.format(does="item")) == []


HIDDEN = """
import lightning

class Language(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = nn.LSTM(3, 3)
        self.hidden = None

    def {hook}(self):
        self.hidden = None

    def training_step(self, batch, index):
        output, self.hidden = self.model(batch, self.hidden)
        return output.sum()
"""


def test_what_is_forgotten_after_an_epoch_is_carried_from_step_to_step() -> None:
    assert kinds(HIDDEN.format(hook="on_train_epoch_end")) == ["graph-freed"]
    assert kinds(HIDDEN.format(hook="on_train_batch_end")) == []


OUTPUTS = """
import lightning

class Own(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = nn.Linear(3, 3)

    def on_train_epoch_start(self):
        self.outputs = []

    def training_step(self, batch, index):
        loss = nn.functional.cross_entropy(self.model(batch), batch)
        self.outputs.append(loss{cut})
        return loss
"""


def test_what_an_epoch_begins_with_is_added_to_in_every_step() -> None:
    assert kinds(OUTPUTS.format(cut="")) == ["graph-kept"]
    assert kinds(OUTPUTS.format(cut=".detach()")) == []


LOSS = """
class Balanced:
    def __init__(self):
        self.mean = 1.0
        self.entropy = nn.BCEWithLogitsLoss()

    def {name}(self, prediction, target):
        loss = self.entropy(prediction, target)
        self.mean = self.mean * 0.9 + loss{cut} * 0.1
        return loss / self.mean
"""


def test_a_loss_that_goes_on_from_the_one_before() -> None:
    assert "graph-freed" in kinds(LOSS.format(name="__call__", cut=""))
    assert "graph-freed" in kinds(LOSS.format(name="compute", cut=""))
    assert kinds(LOSS.format(name="__call__", cut=".item()")) == []


def test_what_evaluates_is_not_trained() -> None:
    assert "graph-freed" not in kinds(LOSS.format(name="validation_loss", cut=""))


GIVEN = """
from collections import defaultdict
from transformers import Trainer

class Own(Trainer):
    def __init__(self, model):
        super().__init__(model)
        self.logged = defaultdict(list)

    def compute_loss(self, model, inputs):
        loss = torch.nn.functional.cross_entropy(model(inputs).logits, inputs["labels"])
        self.keep({"loss": loss.mean()})
        return loss

    def keep(self, numbers):
        for name, number in numbers.items():
            self.logged[name].append(number)
"""


def test_who_stores_what_it_is_given_is_not_to_blame() -> None:
    (fault,) = faults(GIVEN)
    assert fault.place is not None
    assert fault.place.row == GIVEN[: GIVEN.index("loss.mean()")].count("\n") + 3


TRAINS = """
class Base:
    def __init__(self, network, rate):
        self.network, self.rate = network, rate

    def prepare(self):
        self.module = self.network()
        self.prepared = True

    def fit(self, loader):
        if not hasattr(self, "prepared"):
            self.prepare()
        self.loop(loader, torch.optim.SGD(self.module.parameters(), lr=self.rate))

    def loop(self, loader, optimizer):
        for inputs, targets in loader:
            self.train_step(inputs, targets, optimizer)

    def train_step(self, inputs, targets, optimizer):
        {own_clearing}
        torch.nn.functional.mse_loss(self.module(inputs), targets).backward()
        optimizer.step()
"""
BY_HAND = """
class Own(Base):
    def train_step(self, inputs, targets, optimizer):
        {clearing}
        torch.nn.functional.mse_loss(self.module(inputs), targets).backward()
        for parameter in self.module.parameters():
            parameter.data.add_(parameter.grad, alpha=-self.rate)
"""
CLEARED = "optimizer.zero_grad()"


def test_a_step_is_run_by_the_inherited_methods_that_lead_to_it() -> None:
    base = TRAINS.format(own_clearing=CLEARED)
    assert kinds(base + BY_HAND.format(clearing="pass")) == ["missing-zero-grad"]
    assert kinds(base + BY_HAND.format(clearing=CLEARED)) == []


def test_what_leads_to_a_step_is_run_with_that_of_the_base_too() -> None:
    base = TRAINS.format(own_clearing="pass")
    assert kinds(base + BY_HAND.format(clearing=CLEARED)) == ["missing-zero-grad"]
