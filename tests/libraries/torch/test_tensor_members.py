"""Attributes, methods and conversions of tensors."""

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import FaultKind
from autograd_lint.project.source import Source
from tests.vm.running import HEAD, certain, kinds

LEAF = "w = torch.ones(3, requires_grad=True)\nx = torch.ones(3)\n"


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("w.exp().numpy()", "numpy-on-grad"),
        ("x.retain_grad()", "retain-grad"),
        ("x.register_hook(print)", "other"),
        ("w.exp().requires_grad_(False)", "non-leaf-flag"),
        ("x.long().requires_grad_()", "other"),
        ("x.requires_grad = 1", "other"),
        ("w.view(3).detach_()", "view-modified"),
        ("w.resize_(4)", "other"),
        ("w.apply_(abs)", "other"),
        ("(w // 2).sum().backward()", "other"),
        ("torch.igamma(w, x).sum().backward()", "other"),
        ("w.grad = 0", "other"),
        ("w.grad = w", "other"),
        ("w.grad = torch.ones(2)", "other"),
        ("w.sum().backward(inputs=[x])", "retain-grad"),
        ("torch.exp(w, out=x)", "other"),
        ("torch.add(x, w, out=torch.empty(3))", "other"),
        ("w.float().add_(1)", "leaf-modified"),
        ("w.cpu().add_(1)", "leaf-modified"),
        ("torch.ones(3, 3, requires_grad=True).fill_diagonal_(0)", "leaf-view-modified"),
        ("nn.Parameter(torch.zeros(3, dtype=torch.int32))", "other"),
        ("w.sum().item().backward()", "no-grad-root"),
    ],
)
def test_what_a_tensor_refuses(statement: str, kind: str) -> None:
    assert certain(f"{LEAF}{statement}\n") == [kind]


@pytest.mark.parametrize(
    "statement",
    [
        "w.detach().numpy()",
        "torch.igamma(x, w).sum().backward()",
        "w.grad = torch.ones(3)",
        "w.inner(w).backward()",
        "w.exp().retain_grad()",
        "w.exp().requires_grad_()",
        "w.double().add_(1)",
        "w.clone().add_(1)",
        "w.data.add_(1)",
        "w.detach_().add_(1)",
    ],
)
def test_what_a_tensor_allows(statement: str) -> None:
    assert certain(f"{LEAF}{statement}\n") == []


def test_reading_a_freed_saved_tensor_is_refused() -> None:
    text = "y = w.exp()\ny.sum().backward()\ny.grad_fn._saved_result\n"
    assert certain(LEAF + text) == ["graph-freed"]


def test_detaching_in_place_in_inference_mode_does_nothing() -> None:
    text = "with torch.inference_mode():\n    w.detach_()\nw.add_(1)\n"
    assert certain(LEAF + text) == ["leaf-modified"]


ABSENT = """
w = torch.ones(3, requires_grad=True)
for _ in range(2):
    loss = (w * 2).sum()
    {clear}
    loss.backward()
"""


def test_there_is_no_gradient_before_the_first_backward() -> None:
    assert certain(ABSENT.format(clear="w.grad.zero_()")) == ["other"]


def test_who_asks_for_none_first_may_clear_it() -> None:
    clear = "if w.grad is not None:\n        w.grad.zero_()"
    assert certain(ABSENT.format(clear=clear)) == []


def test_what_a_function_is_given_may_have_a_gradient() -> None:
    assert certain("def clear(w):\n    w.detach_()\n    w.grad.zero_()\n") == []


@pytest.mark.parametrize("name", ["imag", "is_sparse", "itemsize", "output_nr"])
def test_a_property_is_not_a_method_that_was_not_called(name: str) -> None:
    assert kinds(f"x = torch.ones(3, requires_grad=True) * 2\nx.{name}\n") == []


CLONED = """
model = nn.Linear(3, 3)
twin = {twin}
loss = twin(torch.ones(3)).sum()
loss.backward()
for p in model.parameters():
    p.grad.mul_(0.5)
"""


def test_a_gradient_that_may_have_come_through_what_is_not_known() -> None:
    assert (
        kinds(
            CLONED.format(twin="clones.copy_of(model)").replace(
                "model =", "import clones\nmodel =", 1
            )
        )
        == []
    )
    assert certain(CLONED.format(twin="nn.Linear(3, 3)")) == ["other"]


RETAINED = """
h = w * 2
{before}
h.exp().sum().backward(retain_graph=True)
{then}
print(h.grad.clone())
"""


@pytest.mark.parametrize(
    ("before", "then", "found"),
    [
        ("h.retain_grad()", "", []),
        ("pass", "h.retain_grad()\nh.exp().sum().backward()", []),
        ("h.retain_grad()", "h.grad = None", ["other"]),
        ("pass", "h.retain_grad()", ["other"]),
        ("h.retain_grad()", "kept = h.grad\nh.exp().sum().backward()\nkept.add_(1)", []),
    ],
)
def test_what_retains_its_gradient_has_one_after_backward(
    before: str, then: str, found: list[str]
) -> None:
    assert certain(LEAF + RETAINED.format(before=before, then=then)) == found


def test_what_autograd_grad_passes_is_retained_as_well() -> None:
    text = "h = w * 2\nh.retain_grad()\ntorch.autograd.grad(h.sum(), w)\nprint(h.grad.clone())\n"
    assert certain(LEAF + text) == []


def test_a_view_that_is_given_other_memory() -> None:
    text = """
def widened(x):
    y = x.exp()
    y.add_(1)
    row = y.unsqueeze(0)
    row.set_(torch.cat((row, row)))
    return row * 2
"""
    assert "view-modified" not in kinds(text)


WRITTEN = "h = w.exp()\n{write}\nh.sum().backward()\n"


@pytest.mark.parametrize(
    ("write", "found"),
    [
        ("h.data *= 2", ["saved-tensor-modified"]),
        ("h.data *= 1", []),
        ("h.data.add_(0)", []),
        ("h.data /= 1.0", []),
        ("h.data += 1", ["saved-tensor-modified"]),
        ("h.mul_(1)", ["saved-tensor-modified"]),
    ],
)
def test_only_the_counter_minds_a_write_that_changes_no_value(write: str, found: list[str]) -> None:
    assert certain(LEAF + WRITTEN.format(write=write)) == found


KINDS = """
steps = torch.arange(1, 4)
slopes = nn.Parameter({made})
slopes.sum().backward()
"""


@pytest.mark.parametrize(
    ("made", "refused"),
    [
        ("0.5 ** steps", False),
        ("steps * 0.5", False),
        ("torch.remainder(steps, 0.5)", False),
        ("2 ** steps", True),
        ("steps * 2", True),
    ],
)
def test_whole_numbers_and_a_float_give_a_float(made: str, refused: bool) -> None:
    text = KINDS.format(made=made)
    try:
        exec(f"import torch\nfrom torch import nn\n{text}", {})
        raised = False
    except RuntimeError:
        raised = True
    assert (raised, kinds(text) == ["other"]) == (refused, refused)


LENGTHS = """
class Lengths(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x):
        lengths = self.layer(x) + 0.5
        return torch.from_numpy(lengths{whole}.cpu().numpy()) * x
"""


@pytest.mark.parametrize("whole", [".int()", ".long()", ".to(torch.int32)", ".bool()"])
def test_what_requires_grad_is_of_no_whole_numbers(whole: str) -> None:
    assert FaultKind.NUMPY_ON_GRAD in _kinds(LENGTHS.format(whole=""))
    assert FaultKind.NUMPY_ON_GRAD not in _kinds(LENGTHS.format(whole=whole))


def _kinds(program: str) -> set[object]:
    return {fault.kind for fault in analyse(Source("a.py", HEAD + program))}


def test_a_tensor_made_anew_of_what_a_module_is_given_requires_no_grad() -> None:
    module = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return x{made}.resize_(2, 2).zero_() + self.layer(x)
"""
    faults = [analyse(Source("a.py", HEAD + module.format(made=one))) for one in ("", ".new()")]
    assert [bool(one) for one in faults] == [True, False]
