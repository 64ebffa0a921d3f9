"""Optimizers that code makes which is not seen."""

from tests.vm.running import kinds

TRAIN = """
from framework import build
def fit(config, loader):
    model = build(config)
    optimizer = build(config{given})
    total = 0
    for x, y in loader:
        total = total + torch.nn.functional.mse_loss(model(x), y)
        {clear}
        total.backward(retain_graph=True)
        optimizer.step({closure})
"""
PARTS = {"given": ", model", "clear": "optimizer.zero_grad()", "closure": ""}


def _told(**parts: str) -> bool:
    return "saved-tensor-modified" in kinds(TRAIN.format(**{**PARTS, **parts}))


def test_what_is_stepped_and_cleared_and_was_given_a_module_has_its_parameters() -> None:
    assert _told()
    assert _told(given=", model.parameters()")
    assert _told(given=", params=model.parameters()")


def test_what_was_given_no_module_is_not_known() -> None:
    assert not _told(given="")


def test_what_is_never_cleared_or_steps_with_something_is_no_optimizer() -> None:
    assert not _told(clear="pass")
    assert not _told(closure="total")
