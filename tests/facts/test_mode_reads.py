"""Where the code of a class of modules goes by the mode."""

import pytest

from autograd_lint.facts.mode_reads import mode_reads
from autograd_lint.project.source import Source


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("return F.dropout(x, self.rate, training=self.training)", [{"rate"}]),
        ("return drop(self.layer(x), self.rate, self.training)", [{"rate"}]),
        ("return x if self.training and self.size > 1 else -x", [{"size"}]),
        ("if not self.training:\n        return x", [set()]),
        ("mode = self.training", [set()]),
        ("self.training = False", []),
        ("return self.layer(x)", []),
    ],
)
def test_what_is_read_beside_the_mode(code: str, found: list[set[str]]) -> None:
    source = Source("net.py", f"def forward(self, x):\n    {code}\n")
    assert list(map(set, mode_reads(source, source.tree))) == found
