"""Pools to one element are means, which keep nothing for backward."""

import pytest

from tests.vm.running import certain

EXCITED = """
x = torch.randn(2, 3, 4, 4, requires_grad=True) * 1
x *= {pooled}.mean((-1, -2), keepdim=True)
x.sum().backward()
"""


@pytest.mark.parametrize(
    ("pooled", "found"),
    [
        ("nn.AdaptiveAvgPool2d(1)(x)", []),
        ("nn.AdaptiveAvgPool2d((1, 1))(x)", []),
        ("nn.functional.adaptive_avg_pool2d(x, 1)", []),
        ("nn.functional.adaptive_avg_pool2d(x, output_size=(1, 1))", []),
        ("nn.AdaptiveAvgPool2d(2)(x)", ["saved-tensor-modified"]),
        ("nn.AdaptiveAvgPool2d((1, 2))(x)", ["saved-tensor-modified"]),
        ("nn.functional.adaptive_avg_pool2d(x, size)", []),
    ],
)
def test_what_is_averaged_to_one_element_is_not_kept(pooled: str, found: list[str]) -> None:
    assert certain(EXCITED.format(pooled=pooled)) == found
