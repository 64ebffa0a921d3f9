"""Context managers written as generators."""

from tests.vm.running import certain

HEAD = """import contextlib
@contextlib.contextmanager
def frozen(off=True):
    with torch.set_grad_enabled(not off):
        yield 3
w = torch.ones(3, requires_grad=True)
"""


def test_the_body_runs_inside() -> None:
    assert certain(HEAD + "with frozen():\n    w.add_(1)\n") == []


def test_the_mode_is_over_after_the_body() -> None:
    assert certain(HEAD + "with frozen():\n    pass\nw.add_(1)\n") == ["leaf-modified"]


def test_arguments_reach_the_manager() -> None:
    assert certain(HEAD + "with frozen(off=False):\n    w.add_(1)\n") == ["leaf-modified"]


def test_a_return_leaves_through_the_manager() -> None:
    text = "def f():\n    with frozen():\n        return w * 2\nf().sum().backward()\n"
    assert certain(HEAD + text) == ["no-grad-root"]


def test_what_is_yielded_is_bound() -> None:
    text = "with frozen(off=False) as n:\n    y = w.view(n)\ny.backward()\n"
    assert certain(HEAD + text) == ["non-scalar-root"]
