"""What puts modules and parameters into containers once they are made."""

import pytest

from tests.vm.running import certain

# An error for certain where it is known which layer the container gives.
PROGRAM = """
import torch
from torch import nn

layer = nn.Linear(2, 2)
{made}
found = {found}
squares = found.weight.square()
with torch.no_grad():
    found.weight.add_(1)
squares.sum().backward()
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("parts = nn.ModuleList()\nparts += [layer]", "parts[0]"),
        ("parts = nn.ModuleList()\nparts += nn.ModuleList([layer])", "parts[0]"),
        ("parts = nn.ModuleList([nn.ReLU()]) + [layer]", "parts[1]"),
        ("parts = nn.Sequential(nn.ReLU())\nparts += nn.Sequential(layer)", "parts[1]"),
        ("parts = nn.ModuleList([nn.ReLU()])\nparts.extend([layer])", "parts[1]"),
        ("parts = nn.ModuleList([nn.ReLU()])\nparts.insert(0, layer)", "parts[0]"),
        ("parts = nn.Sequential(layer)\nparts.insert(0, nn.ReLU())", "parts[1]"),
        ("parts = nn.ModuleDict()\nparts.update({'a': layer})", "parts['a']"),
        ("parts = nn.ModuleDict()\nparts.update(nn.ModuleDict({'a': layer}))", "parts['a']"),
    ],
)
def test_a_container_has_what_was_put_into_it(made: str, found: str) -> None:
    assert certain(PROGRAM.format(made=made, found=found)) == ["saved-tensor-modified"]


def test_what_two_containers_make_is_another_one() -> None:
    made = "parts = nn.ModuleList([nn.ReLU()])\nboth = parts + [layer]\nparts.append(nn.ReLU())"
    assert certain(PROGRAM.format(made=made, found="both[1]")) == ["saved-tensor-modified"]


def test_an_update_of_what_is_no_container_is_unknown() -> None:
    made = "parts = nn.Module()\nparts.update({'a': layer})"
    assert certain(PROGRAM.format(made=made, found="parts.a")) == []
