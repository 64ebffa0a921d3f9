"""What `torch.utils.checkpoint` changes."""

import pytest

from tests.vm.running import certain

HEAD = """from torch.utils.checkpoint import checkpoint
def block(t):
    h = t.exp()
    h.mul_(2)
    return h
x = torch.ones(3, requires_grad=True)
a = x * 1
"""


def test_nothing_inside_is_checked() -> None:
    text = HEAD + "checkpoint(block, a, use_reentrant=False).sum().backward()\n"
    assert certain(text) == []


def test_the_arguments_are_checked() -> None:
    text = HEAD + "y = checkpoint(block, a, use_reentrant=False).sum()\na.add_(1)\ny.backward()\n"
    assert certain(text) == ["saved-tensor-modified"]


def test_a_checkpoint_is_freed() -> None:
    text = HEAD + "y = checkpoint(block, a, use_reentrant=False).sum()\n"
    assert certain(text + "y.backward()\ny.backward()\n") == ["graph-freed"]


def test_a_reentrant_checkpoint_needs_an_argument_that_requires_grad() -> None:
    text = HEAD + "layer = nn.Linear(3, 1)\ny = checkpoint(layer, x.detach(), use_reentrant=True)\n"
    assert "no-grad-root" in certain(text + "y.sum().backward()\n")


def test_a_reentrant_checkpoint_runs_again_on_leaves() -> None:
    text = HEAD + "y = checkpoint(lambda t: t.mul_(2).sin(), a, use_reentrant=True)\n"
    assert certain(text + "y.sum().backward()\n") == ["leaf-modified"]


NESTED = """
layer = nn.Linear(3, 1)
def run(t):
    return {result}
found = checkpoint(run, a, use_reentrant={kind})
{taken}.sum().backward()
"""


@pytest.mark.parametrize(
    ("result", "taken", "kind", "expected"),
    [
        ("{'hidden': layer(t)}", "found['hidden']", "True", True),
        ("[layer(t)]", "found[0]", "True", True),
        ("(layer(t), 1)", "found[0]", "True", False),
        ("{'hidden': layer(t)}", "found['hidden']", "False", False),
    ],
)
def test_only_results_in_a_tuple_get_a_graph(
    result: str, taken: str, kind: str, expected: bool
) -> None:
    text = HEAD + NESTED.format(result=result, taken=taken, kind=kind)
    assert ("no-grad-root" in certain(text)) is expected
