"""What has an `eval()` is a module, unless a class of the project that is none has one as well."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import weights

PREDICT = """
def predict(transform, loader):
    transform.eval()
    shown = []
    for sentences in loader:
        shown.append(transform(sentences).argmax().item())
    return shown
"""
TRANSFORM = """
class Transform{bases}:
    def eval(self):
        self.training = False

    def {method}(self, sentences):
        return [self.field(one) for one in sentences]
"""


@pytest.mark.parametrize(
    ("bases", "method", "likely"),
    [("", "__call__", False), ("(nn.Module)", "__call__", True), ("", "apply", True)],
)
def test_an_object_that_is_evaluated_and_called_may_be_of_a_class_that_is_no_module(
    bases: str, method: str, likely: bool, tmp_path: Path
) -> None:
    others = {"fields.py": "from torch import nn\n" + TRANSFORM.format(bases=bases, method=method)}
    found = weights(tmp_path, "import torch\n" + PREDICT, others)
    assert [weight < 2 for weight in found] == [likely]
