"""Functions are run as they were called in a recorded run."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.observed.calls import Call, Key, Observed
from autograd_lint.observed.documents import text_of
from autograd_lint.observed.texts import digest, functions_in
from autograd_lint.observed.values import Named, Object, Plain, Tensor, Value
from autograd_lint.project.modules import Project
from autograd_lint.project.roots import Homes
from autograd_lint.project.source import Source

ADDED = "import torch\n\ndef bump(h):\n    h += 1\n    return h.sum()\n"
DATA = Tensor("float32", leaf=True)
LEAF = Tensor("float32", requires_grad=True, leaf=True)
SAVED = Tensor("float32", requires_grad=True, made_by="sigmoid")
COMPUTED = Tensor("float32", requires_grad=True, made_by="add")


def call(own: Named | None = None, *, grad_mode: bool = True, **given: Value) -> Call:
    return Call(Named((*given.items(),)), own, grad_mode=grad_mode, trained=True)


def faults(folder: Path, text: str, name: str, *calls: Call) -> list[Fault]:
    """What the runs over a file show beside calls of one of its functions."""
    source = Source(str(folder / "helper.py"), text)
    Path(source.filename).write_text(text)
    node = dict(functions_in(source.tree))[name]
    key = Key("helper.py", name, digest(source.lines, node))
    facts = folder / "facts.json"
    facts.write_text(text_of(Observed({key: [*calls]})))
    project = Project.of(Homes().of(folder), (), facts=[facts])
    return analyse(source, project)


def as_recorded(found: list[Fault]) -> list[str]:
    """The kinds of faults that assume nothing but that the call was made."""
    alone = {Kind.CALL_RECORDED}
    return [one.kind.value for one in found if {why.kind for why in one.assumptions} == alone]


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        (DATA, []),
        (COMPUTED, []),
        (SAVED, ["saved-tensor-modified"]),
        (LEAF, ["leaf-modified"]),
        (Plain("int"), []),
    ],
)
def test_an_argument_is_what_it_was(tmp_path: Path, given: Value, kinds: list[str]) -> None:
    assert as_recorded(faults(tmp_path, ADDED, "bump", call(h=given))) == kinds


def test_grad_mode_is_as_it_was(tmp_path: Path) -> None:
    found = faults(tmp_path, ADDED, "bump", call(h=LEAF, grad_mode=False))
    assert as_recorded(found) == []


def test_arguments_share_memory_as_they_did(tmp_path: Path) -> None:
    text = "import torch\n\ndef f(x, y):\n    z = x.sigmoid() * x\n    y += 1\n    return z.sum()\n"
    view = Tensor("float32", leaf=False, requires_grad=True, view_of="x")
    assert as_recorded(faults(tmp_path, text, "f", call(x=COMPUTED, y=view)))
    assert not as_recorded(faults(tmp_path, text, "f", call(x=COMPUTED, y=COMPUTED)))


MODULE = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.mask = None

    def forward(self, x):
        h = torch.sigmoid(self.layer(x))
        if self.mask is not None:
            h *= self.mask
        return h
"""


@pytest.mark.parametrize(
    ("mask", "kinds"), [(Plain("none"), []), (DATA, ["saved-tensor-modified"])]
)
def test_an_object_has_the_attributes_that_it_had(
    tmp_path: Path, mask: Value, kinds: list[str]
) -> None:
    own = Named((("mask", mask), ("training", Plain("true"))))
    assert as_recorded(faults(tmp_path, MODULE, "Net.forward", call(own, x=DATA))) == kinds


def test_an_object_of_the_project_is_one_of_its_class(tmp_path: Path) -> None:
    text = MODULE + "\ndef use(net, x):\n    h = net(x)\n    h += 1\n    return h.sum()\n"
    given = call(net=Object("helper.Net", module=True), x=DATA)
    found = faults(tmp_path, text, "use", given)
    assert as_recorded(found) == ["saved-tensor-modified"]


def test_a_function_that_was_edited_is_as_if_it_had_not_been_called(tmp_path: Path) -> None:
    assert as_recorded(faults(tmp_path, ADDED, "bump", call(h=LEAF)))
    edited = ADDED.replace("+= 1", "+= 2")
    facts = [tmp_path / "facts.json"]
    source = Source(str(tmp_path / "helper.py"), edited)
    project = Project.of(Homes().of(tmp_path), (), facts=facts)
    assert not as_recorded(analyse(source, project))


def test_what_never_required_grad_is_data(tmp_path: Path) -> None:
    told = faults(tmp_path, ADDED.replace("h += 1", "h = h.exp()\n    h.mul_(2)"), "bump")
    assert [one.weight for one in told if one.weight < 2]
    text = ADDED.replace("h += 1", "h = h.exp()\n    h.mul_(2)")
    seen = faults(tmp_path, text, "bump", call(h=DATA))
    assert all(one.weight >= 2 for one in seen)
    both = faults(tmp_path, text, "bump", call(h=DATA), call(h=SAVED))
    assert [one.weight for one in both if one.weight < 2]
