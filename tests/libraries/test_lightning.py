"""Modules of Lightning that run backward and their optimizers by themselves."""

import pytest

from tests.vm.running import certain, kinds

GAN = """
from lightning import LightningModule
class Gan(LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.maker, self.judge = nn.Linear(2, 2), nn.Linear(2, 1)
    def configure_optimizers(self):
        first = torch.optim.SGD(self.maker.parameters(), lr=0.1)
        second = torch.optim.SGD(self.judge.parameters(), lr=0.1)
        return {returned}
    def training_step(self, batch, batch_idx):
        first, second = self.optimizers()
        made = self.maker(torch.randn(4, 2))
        judged = self.judge(made)
        second.zero_grad()
        self.manual_backward(judged.mean(), retain_graph=True)
        second.step()
        first.zero_grad()
        self.manual_backward(-{again}.mean())
        first.step()
"""


@pytest.mark.parametrize(
    "returned",
    [
        "first, second",
        "[first, second], []",
        "{'optimizer': first}, {'optimizer': second}",
    ],
)
def test_a_step_between_two_backwards_is_told_for_every_form_of_optimizers(returned: str) -> None:
    text = GAN.format(returned=returned, again="judged")
    assert kinds(text) == ["saved-tensor-modified"]


def test_a_new_forward_after_the_step_is_fine() -> None:
    assert kinds(GAN.format(returned="first, second", again="self.judge(made)")) == []


def test_one_optimizer_is_no_list() -> None:
    text = """
from pytorch_lightning import LightningModule
class Net(LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.layer = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
    def training_step(self, batch):
        optimizer, loss = self.optimizers(), self.layer(batch).mean()
        optimizer.zero_grad()
        self.manual_backward(loss, retain_graph=True)
        optimizer.step()
        self.manual_backward(loss)
"""
    assert kinds(text) == ["saved-tensor-modified"]


@pytest.mark.parametrize("toggled", ["judge", "maker"])
def test_what_is_toggled_off_gets_no_graph(toggled: str) -> None:
    text = f"""
from lightning import LightningModule
class Gan(LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.maker, self.judge = nn.Linear(2, 2), nn.Linear(2, 1)
    def configure_optimizers(self):
        maker = torch.optim.SGD(self.maker.parameters(), lr=0.1)
        judge = torch.optim.SGD(self.judge.parameters(), lr=0.1)
        return maker, judge
    def training_step(self, batch):
        maker, judge = self.optimizers()
        self.toggle_optimizer({toggled})
        self.manual_backward(self.maker(torch.randn(4, 2)).mean())
        self.untoggle_optimizer({toggled})
        maker.step()
"""
    assert ("no-grad-root" in kinds(text)) == (toggled == "judge")


PENALTY = """
from lightning import LightningModule
class Net(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)
    def validation_step(self, x):
        x.requires_grad_()
        return torch.autograd.grad(self.layer(x).sum(), x)[0]
    def on_validation_model_eval(self):
        super().on_validation_model_eval()
        {hook}
"""


def test_a_hook_that_switches_grad_mode_on_for_evaluation() -> None:
    assert certain(PENALTY.format(hook="torch.set_grad_enabled(True)")) == []
    assert certain(PENALTY.format(hook="pass")) == ["no-grad-root"]


HYPERPARAMETERS = """
from lightning import LightningModule
class Base(LightningModule):
    def __init__(self, width=2, **kwargs):
        super().__init__()
        self.save_hyperparameters({saved})
        self.layer = nn.Linear(self.hparams.width, 1)
class Net(Base):
    def __init__(self, {argument}, **kwargs):
        super().__init__(**kwargs)
    def training_step(self, x):
        y = self.layer(x).exp()
        if {asked}:
            y += 1
        return y.mean()
"""


@pytest.mark.parametrize(
    ("saved", "argument", "asked", "told"),
    [
        ("", "shift=True", "self.hparams.shift", True),
        ("", "shift=False", "self.hparams.shift", False),
        ("", "shift=True", "self.hparams['width'] == 2", True),
        ("", "shift=True", "self.hparams.width == 3", False),
        ("'width'", "shift=True", "self.hparams.width == 2", True),
        ("dict(width=2, shift=False)", "shift=True", "self.hparams.shift", False),
    ],
)
def test_hyperparameters_are_what_the_constructors_were_given(
    saved: str, argument: str, asked: str, told: bool
) -> None:
    text = HYPERPARAMETERS.format(saved=saved, argument=argument, asked=asked)
    model = text + "net = Net()\nnet.training_step(torch.ones(3, 2)).backward()\n"
    assert certain(model) == (["saved-tensor-modified"] if told else [])


def test_a_hyperparameter_of_unknown_origin_is_unknown() -> None:
    text = HYPERPARAMETERS.format(saved="", argument="shift=1", asked="self.hparams.other")
    model = text + "net = Net()\nnet.training_step(torch.ones(3, 2)).backward()\n"
    assert (certain(model), kinds(model)) == ([], ["saved-tensor-modified"])


TRAINED = """
from lightning import LightningModule, Trainer
class Net(LightningModule):
    def __init__(self):
        super().__init__()
        {flag}
        self.layer, self.kept = nn.Linear(2, 1), []

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).square().mean()
        {step}

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
{more}
"""
MANUAL = "self.automatic_optimization = False"
BY_HAND = """
        optimizer = self.optimizers()
        {first}
        self.manual_backward(loss)
        optimizer.step()
        {last}
"""


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        ("pass", "pass", ["missing-zero-grad"]),
        ("optimizer.zero_grad()", "pass", []),
        ("pass", "optimizer.zero_grad()", []),
    ],
)
def test_who_optimizes_by_hand_clears_gradients(first: str, last: str, told: list[str]) -> None:
    step = BY_HAND.format(first=first, last=last)
    assert kinds(TRAINED.format(flag=MANUAL, step=step, more="")) == told


def test_lightning_clears_gradients_unless_the_module_does_not_let_it() -> None:
    assert kinds(TRAINED.format(flag="pass", step="return loss", more="")) == []
    kept = """
    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        pass
"""
    told = kinds(TRAINED.format(flag="pass", step="return loss", more=kept))
    assert told == ["missing-zero-grad"]


def test_what_an_epoch_keeps_is_kept_from_iteration_to_iteration() -> None:
    step = "self.kept.append(loss)\n        return loss"
    assert kinds(TRAINED.format(flag="pass", step=step, more="")) == ["graph-kept"]
    detached = step.replace("(loss)", "(loss.detach())")
    assert kinds(TRAINED.format(flag="pass", step=detached, more="")) == []


def test_hooks_run_where_lightning_calls_them() -> None:
    hook = """
    def on_after_backward(self):
        for parameter in self.parameters():
            parameter.grad {change}
"""
    for change, told in (("= None", ["step-before-backward"]), (".clamp_(-1, 1)", [])):
        text = TRAINED.format(flag="pass", step="return loss", more=hook.format(change=change))
        assert kinds(text) == told, change


def test_a_trainer_fits_the_model_that_it_is_given() -> None:
    more = """
model = Net()
for parameter in model.parameters():
    parameter.requires_grad = {flag}
Trainer(max_epochs=1).fit(model, torch.utils.data.DataLoader(torch.randn(8, 2)))
"""
    text = TRAINED.format(flag="pass", step="return loss", more="{more}")
    assert kinds(text.format(more=more.format(flag="True"))) == []
    assert "no-grad-root" in kinds(text.format(more=more.format(flag="False")))


EMPTY = """
from lightning import LightningModule
class Base(LightningModule):
    def training_step(self, batch, batch_idx):
        return self.loss(batch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
{more}
"""


def test_what_a_base_class_optimizes_its_subclasses_bring() -> None:
    assert kinds(EMPTY.format(more="")) == []
    assert kinds(EMPTY.format(more="torch.optim.SGD(Base().parameters(), lr=0.1)")) == ["other"]
