"""Where what an error is about comes from."""

from autograd_lint.diagnosis.pointing import pointed
from autograd_lint.diagnosis.reading import read
from autograd_lint.findings import Finding
from autograd_lint.places import Place
from autograd_lint.project.source import Source

ROOT = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"


def rows(code: str, text: str, row: int, error: str) -> list[int]:
    """The rows that a finding is given."""
    evidence = read(error)
    assert evidence is not None
    finding = Finding(code, "name", "message", Place("a.py", row, 1, row, 9))
    found = pointed(finding, Source("a.py", text), evidence)
    return [one.place.row for one in found.related]


def test_a_root_is_followed_to_where_it_was_computed() -> None:
    text = "def made(x):\n    return x.item()\n\n\ng = made(1)\nloss = g * 2\nloss.backward()\n"
    assert rows("AG301", text, 7, ROOT) == [6, 5, 2]


def test_a_finding_that_knows_more_is_left_as_it_is() -> None:
    text = "loss = f()\nloss.backward()\n"
    assert (
        rows("AG201", text, 2, "RuntimeError: Trying to backward through the graph a second time")
        == []
    )


def test_a_custom_function_is_shown_with_the_method_that_the_message_names() -> None:
    text = (
        "class Fn(Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.mark_dirty(x)\n        return x\n\n\nFn.apply(x)\n"
    )
    error = (
        "RuntimeError: Some elements marked as dirty during the forward method were not returned"
    )
    assert rows("AG601", text, 8, error) == [1, 4]


def test_a_loss_without_a_graph_points_at_what_is_frozen() -> None:
    program = (
        "import torch\n\nnet = torch.nn.Linear(3, 1)\nfor p in net.parameters():\n"
        "    p.requires_grad = False\nnet(torch.rand(2, 3)).sum().backward()\n"
    )
    assert 5 in rows("AG301", program, 6, ROOT)
