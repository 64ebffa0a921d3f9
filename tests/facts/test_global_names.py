"""Names of a module that its functions set."""

import pytest

from autograd_lint.facts.global_names import set_by_functions
from autograd_lint.project.source import Source


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a = 1\ndef f():\n    global a, b\n    a = b = 2\n", {"a", "b"}),
        ("def f():\n    def g():\n        global a\n        a = 2\n", {"a"}),
        ("a = 1\ndef f():\n    a = 2  # not global \n", set()),
    ],
)
def test_names_that_functions_call_global(text: str, names: set[str]) -> None:
    assert set_by_functions(Source("a.py", text)) == names
