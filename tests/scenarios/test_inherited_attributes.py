"""Attributes that a base from outside has set."""

import pytest

from tests.vm.running import kinds

RECIPE = """
from somewhere import Engine

class Recipe(Engine):
    def train_step(self, batch):
        loss = nn.functional.cross_entropy(self.model(batch["x"]), batch["y"])
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        return loss.item()

    def train(self, loader):
        for batch in loader:
            self.train_step(batch)
"""


def test_what_is_stepped_after_backward_is_the_optimizer_of_the_model() -> None:
    assert kinds(RECIPE) == ["missing-zero-grad"]


CLEARED = "        self.optimizer.step()\n        self.optimizer.zero_grad()\n"


def test_one_that_is_cleared_is_right() -> None:
    assert kinds(RECIPE.replace("        self.optimizer.step()\n", CLEARED)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        self.optimizer.step()\n", ""),
        ("from somewhere import Engine", "class Engine:\n    pass"),
        ("    def train_step", "    optimizer = None\n\n    def train_step"),
    ],
)
def test_what_may_be_something_else_is_left_alone(old: str, new: str) -> None:
    assert kinds(RECIPE.replace(old, new)) == []


@pytest.mark.parametrize(
    "forward",
    [
        "out = self.parts[0](batch['x'])",
        "parts = self.parts; out = parts[0](batch['x'])",
        "model = self.parts; out = model(batch['x'])",
    ],
)
def test_a_model_may_come_as_a_list_and_have_another_name(forward: str) -> None:
    called = forward + "\n        loss = self.loss(out, batch['y'])"
    recipe = RECIPE.replace(
        'loss = nn.functional.cross_entropy(self.model(batch["x"]), batch["y"])', called
    )
    assert kinds(recipe) == ["missing-zero-grad"]
    assert kinds(recipe.replace("        self.optimizer.step()\n", CLEARED)) == []


GAN = """
from somewhere import Base

class Gan(Base):
    def train_step(self, real, noise):
        fake = self.generator(noise)
        loss_d = self.discriminator(fake{cut}).mean() - self.discriminator(real).mean()
        self.optimizer_d.zero_grad()
        loss_d.backward()
        self.optimizer_d.step()
        loss_g = -self.discriminator(fake).mean()
        self.optimizer_g.zero_grad()
        loss_g.backward()
        self.optimizer_g.step()
"""


@pytest.mark.parametrize(
    ("cut", "found"), [("", ["graph-freed"]), (".detach()", []), (".clone()", ["graph-freed"])]
)
def test_several_optimizers_belong_to_the_modules_that_they_are_named_after(
    cut: str, found: list[str]
) -> None:
    assert kinds(GAN.format(cut=cut)) == found
