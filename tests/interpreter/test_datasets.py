"""Batches of data loaders."""

from tests.interpreter.running import certain

HEAD = """from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.rand(4, 3), torch.rand(4)), batch_size=2)
"""


def test_batches_do_not_require_grad() -> None:
    assert certain(HEAD + "for x, y in loader:\n    x.sum().backward()\n") == ["no-grad-root"]


def test_each_batch_is_made_anew() -> None:
    text = "for epoch in range(2):\n    for x, y in loader:\n        x.requires_grad_()\n"
    assert certain(HEAD + text.replace("x.requires_grad_()", "x += 1; x.requires_grad_()")) == []


def test_as_many_batches_as_there_are() -> None:
    text = "seen = []\nfor x, y in loader:\n    seen.append(x.sum().requires_grad_())\n"
    assert certain(HEAD + text + "torch.stack(seen[1:]).backward()\n") == []
