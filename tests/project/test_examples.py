"""Examples in docstrings."""

import ast

from autograd_lint.project.examples import examples_in
from autograd_lint.project.source import Source

SHOWN = '''
def double(x):
    """Doubles.

    Example::

        >>> x = 3
        >>> for i in range(x):
        ...     double(i)
        0
    """
    return 2 * x
'''


def test_the_code_behind_the_prompts() -> None:
    found = [ast.unparse(one) for one in examples_in(Source("a.py", SHOWN))]
    assert found == ["x = 3\nfor i in range(x):\n    double(i)"]


def test_what_is_no_code_is_left_out() -> None:
    assert examples_in(Source("a.py", 'help = """\n>>> and so on:\n"""\n')) == ()
