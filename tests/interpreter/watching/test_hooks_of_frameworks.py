"""Methods that frameworks call, and differentiate what they return."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.interpreter.running import faults

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
    return any(fault.kind is Pitfall.GRADIENT_CUT for fault in faults(text))


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
