"""The real interpreter and rules behind the pipeline."""

from autograd_lint.checking.pipeline import check_source
from autograd_lint.configuration.settings import Settings
from autograd_lint.project.source import Source


def test_a_leaf_modified_in_place_is_found() -> None:
    text = "import torch\n\nw = torch.ones(3, requires_grad=True)\nw += 1\n"
    found = check_source(Source("a.py", text), Settings())
    assert [(finding.code, finding.place.row) for finding in found] == [("AG101", 4)]


def test_the_same_without_grad_is_not() -> None:
    text = "import torch\n\nw = torch.ones(3)\nw += 1\n"
    assert check_source(Source("a.py", text), Settings()) == []


def test_a_module_whose_functions_recurse_is_checked() -> None:
    text = (
        "import torch\n\ndef down(x):\n    return down(up(x)) + down(x)\n\n"
        "def up(x):\n    return up(down(x)) * up(x)\n\n"
        "w = torch.ones(3, requires_grad=True)\ndown(w)\nw += 1\n"
    )
    found = check_source(Source("a.py", text), Settings())
    assert [finding.code for finding in found] == ["AG101"]
