"""What a function works on, and who gives it that."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree
from tests.vm.running import kinds

ROTATE = """
from PIL import Image
def rotate(image, boxes):
    {size}
    boxes = torch.cat((boxes, boxes), 1)
    boxes[:, 0] = torch.clamp(boxes[:, 0], 0, w)
    return image, boxes
"""


@pytest.mark.parametrize("size", ["w, h = image.size", "w = image.width"])
def test_what_comes_with_an_image_is_data(size: str) -> None:
    assert kinds(ROTATE.format(size=size)) == []


def test_the_size_of_a_tensor_is_called() -> None:
    assert kinds(ROTATE.format(size="w, h = image.size()")) == ["saved-tensor-modified"]


ABLATION = """import torch

class Ablation(torch.nn.Module):
    def keep(self, activations):
        self.kept = activations[0, :].clone()

    def __call__(self, x):
        output = self.kept
        for i in range(output.size(0)):
            output[i] = torch.min(output) - 1
        return output
"""
CALLER = """import torch
from ablation import Ablation

def look(model, layer: Ablation, x):
    {before}
        layer.keep(model(x))
"""


@pytest.mark.parametrize(
    ("before", "shown"), [("with torch.no_grad():", False), ("if library.trains():", True)]
)
def test_what_an_object_is_only_given_without_grad_mode(
    tmp_path: Path, before: str, shown: bool
) -> None:
    write_tree(tmp_path, {"ablation.py": ABLATION, "caller.py": CALLER.format(before=before)})
    source = Source(str(tmp_path / "ablation.py"), ABLATION)
    found = analyse(source, Project([tmp_path]))
    assert any(fault.weight < 2 for fault in found) is shown
