"""The edits that rules offer."""

import pytest

from autograd_lint.engine.events import Freed, Modified, Needed
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Fix
from autograd_lint.project.source import Source
from autograd_lint.rules.registry import judge
from tests.rules.telling import mended, spot


def fix(fault: Fault, source: Source) -> Fix | None:
    finding = judge(fault, source)
    assert finding is not None
    return finding.fix


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("loss.backward()", "loss.backward(retain_graph=True)"),
        ("loss.backward(g)", "loss.backward(g, retain_graph=True)"),
        ("grad(loss, (w),)", "grad(loss, (w), retain_graph=True,)"),
        ("loss.backward(inputs=[w] )", "loss.backward(inputs=[w], retain_graph=True )"),
        ("loss.backward(retain_graph=False)", "loss.backward(retain_graph=True)"),
    ],
)
def test_the_first_backward_keeps_the_graph(before: str, after: str) -> None:
    source = Source("a.py", f"{before}\nagain.backward()")
    needed = spot(source, "again.backward()")
    freed = Freed(spot(source, before), "backward")
    fault = Fault(FaultKind.GRAPH_FREED, needed, freed=freed, needed=Needed(needed, "backward"))
    assert mended(source, fix(fault, source)) == f"{after}\nagain.backward()"


@pytest.mark.parametrize("before", ["loss.backward(retain_graph=True)", "loss.backward(*given)"])
def test_no_second_retain_graph(before: str) -> None:
    source = Source("a.py", f"{before}\nagain.backward()")
    freed = Freed(spot(source, before), "backward")
    fault = Fault(FaultKind.GRAPH_FREED, spot(source, "again.backward()"), freed=freed)
    assert fix(fault, source) is None


def test_detach_before_numpy() -> None:
    source = Source("a.py", "y = (a * b).cpu().numpy()[0]")
    fault = Fault(FaultKind.NUMPY_ON_GRAD, spot(source, "(a * b).cpu().numpy()"))
    assert mended(source, fix(fault, source)) == "y = (a * b).cpu().detach().numpy()[0]"


def test_no_edit_where_numpy_is_called_by_another_name() -> None:
    source = Source("a.py", "y = np.asarray(x)")
    fault = Fault(FaultKind.NUMPY_ON_GRAD, spot(source, "np.asarray(x)"))
    assert fix(fault, source) is None


@pytest.mark.parametrize(
    ("before", "operator", "after"),
    [
        ("h += 1", "__iadd__", "h = h + 1"),
        ("self.h *= a - b", "__imul__", "self.h = self.h * (a - b)"),
        ("h.clamp_(min=0)", "clamp_", "h = h.clamp(min=0)"),
    ],
)
def test_a_new_tensor_instead_of_a_write(before: str, operator: str, after: str) -> None:
    source = Source("a.py", f"self.h = h\nif x:\n    {before}  # kept")
    modified = Modified(spot(source, before), operator, "h", 1)
    fault = Fault(FaultKind.SAVED_TENSOR_MODIFIED, None, modified=modified)
    assert mended(source, fix(fault, source)) == f"self.h = h\nif x:\n    {after}  # kept"
