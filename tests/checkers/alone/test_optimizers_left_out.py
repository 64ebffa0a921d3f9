"""Optimizers that never step beside others that do."""

from pathlib import Path

import pytest

from autograd_lint.checkers.alone.optimizers_left_out import judge
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

GAN = """
import torch
class GAN:
    def __init__(self, g, d):
        self.g, self.d = g, d
        self.opt_g = torch.optim.Adam({g}.parameters())
        self.opt_d = torch.optim.Adam(self.d.parameters())
    def train(self, loader):
        for real in loader:
            {clear}.zero_grad()
            self.d_loss(real).backward()
            {then}
            self.opt_g.zero_grad()
            self.g_loss().backward()
            self.opt_g.step()
"""
MANUAL = """
import torch
class Module:
    def configure_optimizers(self):
        opt_d = torch.optim.Adam(self.d.parameters())
        opt_g = torch.optim.Adam(self.g.parameters())
        return opt_d, opt_g
    def training_step(self, batch):
        opt_d, opt_g = self.optimizers()
        opt_d.zero_grad()
        self.manual_backward(self.d_loss(batch))
        {then}
        opt_g.zero_grad()
        self.manual_backward(self.g_loss(batch))
        opt_g.step()
"""


def _rows(folder: Path, text: str, other: str = "") -> list[int]:
    (folder / "gan.py").write_text(text)
    (folder / "run.py").write_text(other)
    source = Source(str(folder / "gan.py"), text)
    project = Project([folder], {source.filename: source})
    return [fault.place.row for fault in judge(source, project) if fault.place]


def _gan(clear: str = "self.opt_d", then: str = "pass", g: str = "self.g") -> str:
    return GAN.format(clear=clear, then=then, g=g)


def test_the_one_of_two_optimizers_that_never_steps_is_told(tmp_path: Path) -> None:
    assert _rows(tmp_path, _gan()) == [11]
    assert _rows(tmp_path, _gan(clear="self.d")) == [11]


def test_an_optimizer_that_lightning_hands_out_and_nobody_steps_is_told(tmp_path: Path) -> None:
    assert _rows(tmp_path, MANUAL.format(then="pass")) == [11]
    assert _rows(tmp_path, MANUAL.format(then="opt_d.step()")) == []


@pytest.mark.parametrize(
    "then",
    [
        "self.opt_d.step()",
        "self.move(self.opt_d)",
        "for one in [self.opt_d]: one.step()",
        "self.d.weight.data -= self.d.weight.grad",
    ],
)
def test_what_may_move_the_parameters_keeps_it_quiet(then: str, tmp_path: Path) -> None:
    assert _rows(tmp_path, _gan(then=then)) == []


def test_an_optimizer_for_which_nothing_is_cleared_may_be_for_later(tmp_path: Path) -> None:
    assert _rows(tmp_path, _gan(clear="self.teacher")) == []


def test_parameters_that_another_optimizer_steps_are_trained(tmp_path: Path) -> None:
    assert _rows(tmp_path, _gan(g="self.d")) == []


def test_another_file_may_step_the_attribute(tmp_path: Path) -> None:
    assert _rows(tmp_path, _gan(), "gan.opt_d.step()") == []


def test_who_clears_where_the_step_is_missing_is_told_of_that_elsewhere(tmp_path: Path) -> None:
    assert _rows(tmp_path, _gan(then="self.opt_d.zero_grad()")) == []
