"""Methods that frameworks call, and differentiate what they return."""

import pytest

from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.wording import worded
from tests.vm.running import faults

OWN = """
from {package} import {base}
class Own({base}):
    def {name}(self, model, batch):
        with torch.{mode}():
            wanted = self.teacher(batch)
            {inside}
        {outside}
"""


def cut(
    name: str, package: str, base: str, mode: str = "no_grad", inside: str = "return wanted"
) -> bool:
    outside = "return model(batch, wanted)"
    text = OWN.format(
        name=name, package=package, base=base, mode=mode, inside=inside, outside=outside
    )
    return any(fault.kind is Pitfall.UNRECORDED_LOSS for fault in faults(text))


@pytest.mark.parametrize(
    ("name", "package", "base", "lost"),
    [
        ("compute_loss", "transformers", "Trainer", True),
        ("training_step", "lightning.pytorch", "LightningModule", True),
        ("training_step", "pytorch_lightning", "LightningModule", True),
        ("validation_step", "pytorch_lightning", "LightningModule", False),
        ("prediction_step", "transformers", "Trainer", False),
        ("compute_loss", "another", "Trainer", False),
    ],
)
def test_what_a_framework_trains_has_a_graph(
    name: str, package: str, base: str, lost: bool
) -> None:
    assert cut(name, package, base) is lost


def test_a_part_may_be_computed_without_gradients() -> None:
    assert not cut("compute_loss", "transformers", "Trainer", inside="pass")
    assert not cut("compute_loss", "transformers", "Trainer", mode="enable_grad")


OUTSIDE = """
from transformers import Trainer
class Own(Trainer):
    {decorator}
    def compute_loss(self, model, inputs, return_outputs=False):
        with {mode}:
            outputs = {inside}
        loss = {loss}
        return (loss, outputs) if return_outputs else {returned}
"""


def told(
    inside: str = "super().compute_loss(model, inputs)",
    mode: str = "torch.no_grad()",
    loss: str = "outputs",
    returned: str = "loss",
    decorator: str = "",
) -> bool:
    text = OUTSIDE.format(
        inside=inside, mode=mode, loss=loss, returned=returned, decorator=decorator
    )
    return any(fault.kind is Pitfall.UNRECORDED_LOSS for fault in faults(text))


def test_the_loss_may_leave_the_block_that_it_was_computed_in() -> None:
    assert told()
    assert told(inside="model(**inputs)", loss="outputs['loss'] / 2")
    assert told(inside="model(**inputs)", returned="{'loss': outputs.loss}")
    assert told(mode="open('log')", decorator="@torch.no_grad()")


def test_a_loss_of_which_a_part_is_recorded_is_left_alone() -> None:
    assert not told(loss="model(**inputs).mean() - outputs.mean()")
    assert not told(mode="torch.enable_grad()")
    assert not told(returned="None", loss="self.manual_step(outputs)")


def test_another_path_may_record_the_loss() -> None:
    assert not told(mode="torch.set_grad_enabled(self.trains)")
    assert not told(loss="outputs if self.frozen else super().compute_loss(model, inputs)")


NESTED = """
from {package} import Trainer
class Own(Trainer):
    def prepare(self):
        if not self.ready():
            return
        self.card.save()
        def {name}(self, model, inputs, return_outputs=False):
            with torch.no_grad():
                return super().compute_loss(model, inputs)
"""


@pytest.mark.parametrize(
    ("package", "name", "lost"),
    [
        ("transformers", "compute_loss", True),
        ("transformers", "preview_loss", False),
        ("another", "compute_loss", False),
    ],
)
def test_a_hook_may_stand_in_a_method(package: str, name: str, lost: bool) -> None:
    found = faults(NESTED.format(package=package, name=name))
    assert any(fault.kind is Pitfall.UNRECORDED_LOSS for fault in found) is lost


MANUAL = """
import lightning
class Own(lightning.LightningModule):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.automatic_optimization = {automatic}
    def training_step(self, batch, index):
        with torch.no_grad():
            loss = self.model(batch)
        return loss
"""


def test_who_optimizes_by_hand_returns_what_is_for_the_log() -> None:
    for automatic in (True, False):
        found = [fault.kind for fault in faults(MANUAL.format(automatic=automatic))]
        assert (Pitfall.UNRECORDED_LOSS in found) is automatic


CONSTANT = """
import lightning
class Own(lightning.LightningModule):
    def __init__(self, model):
        super().__init__()
        self.model = model
    def training_step(self, batch, index):
        if len(batch) == 0:
            return {constant}
        return self.model(batch)
"""


@pytest.mark.parametrize(
    ("constant", "raises"),
    [
        ("torch.tensor(0.0)", True),
        ("torch.zeros(1)", True),
        ("{'loss': torch.zeros(())}", True),
        ("torch.tensor(0.0, requires_grad=True)", False),
        ("None", False),
        ("{'loss': self.model(batch), 'other': torch.zeros(1)}", False),
    ],
)
def test_a_constant_loss_has_nothing_to_differentiate(constant: str, raises: bool) -> None:
    found = faults(CONSTANT.format(constant=constant))
    roots = [fault for fault in found if fault.kind is FaultKind.NO_GRAD_ROOT]
    assert [fault.built.place.row for fault in roots if fault.built and fault.built.place] == (
        [11] if raises else []
    )
    assert all(
        "`len(batch) == 0` holds" in str([*map(worded, fault.assumptions)]) for fault in roots
    )


HELPED = """
from transformers import Trainer
def run(model, ids):
    with torch.{mode}():
        return model(ids)
class Own(Trainer):
    def reference(self, ids):
        return run(self.reference_model, ids)
    def compute_loss(self, model, inputs, return_outputs=False):
        outputs = run(model, inputs["input_ids"])
        return {loss}
"""


@pytest.mark.parametrize(
    ("mode", "loss", "lost"),
    [
        ("no_grad", "outputs.logits.mean()", True),
        ("no_grad", "(outputs.logits - model(inputs['labels'])).mean()", False),
        ("enable_grad", "outputs.logits.mean()", False),
    ],
)
def test_a_helper_in_another_place_may_leave_the_loss_without_a_graph(
    mode: str, loss: str, lost: bool
) -> None:
    found = faults(HELPED.format(mode=mode, loss=loss))
    assert any(fault.kind is Pitfall.UNRECORDED_LOSS for fault in found) is lost


CUT = """
def run(model, ids):
    with {mode}:
        return model(ids)
model = nn.Linear(2, 1)
loss = run(model, torch.ones(3, 2)).mean()
loss.backward()
"""


def test_torch_refuses_such_a_loss() -> None:
    import torch

    def train(mode: str) -> None:
        exec(CUT.format(mode=mode), {"torch": torch, "nn": torch.nn})

    train("torch.enable_grad()")
    with pytest.raises(RuntimeError, match="does not require grad"):
        train("torch.no_grad()")


NUMBER = """
from {package} import {base}
class Own({base}):
    def {name}(self, model, batch):
        loss = nn.functional.mse_loss(model(batch), batch)
        return {returned}
"""


@pytest.mark.parametrize(
    ("package", "base", "name", "returned", "told"),
    [
        ("lightning", "LightningModule", "training_step", "loss.item()", True),
        ("lightning", "LightningModule", "training_step", "{'loss': float(loss)}", True),
        ("transformers", "Trainer", "compute_loss", "loss.item()", True),
        ("lightning", "LightningModule", "training_step", "loss", False),
        ("lightning", "LightningModule", "validation_step", "loss.item()", False),
        ("another", "Trainer", "compute_loss", "loss.item()", False),
    ],
)
def test_the_loss_that_a_framework_is_given_is_no_number(
    package: str, base: str, name: str, returned: str, told: bool
) -> None:
    text = NUMBER.format(package=package, base=base, name=name, returned=returned)
    found = [one for one in faults(text) if one.kind is FaultKind.NO_GRAD_ROOT]
    assert [one.built.place.row for one in found if one.built and one.built.place] == [8] * told
