"""Results as the cache keeps them."""

from autograd_lint.checking.checked import Checked
from autograd_lint.checking.records import recorded, restored
from autograd_lint.findings import Finding, Found, Prediction
from autograd_lint.places import Place


def test_what_a_prediction_tells_of_a_tensor_is_kept() -> None:
    found = Found("exp", 0, "float", (3, None), 0, 1)
    predicts = Prediction("saved-tensor-modified", "a.py", 4, "exp", "", found)
    finding = Finding("AG103", "x", "y", Place("a.py", 3, 1, 3, 4), predicts=predicts)
    checked = Checked("a.py", (finding,), steps=9)
    assert restored("a.py", recorded(checked)) == checked
