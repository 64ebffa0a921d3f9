"""Code in Markdown and docstrings."""

from pathlib import Path

from tests import fakes
from tests.fakes import write_tree

from autograd_lint.checking.pipeline import Checker
from autograd_lint.checking.request import Request
from autograd_lint.cli import running
from autograd_lint.configuration.settings import Settings
from autograd_lint.findings import Finding
from autograd_lint.project.modules import Project

MARKDOWN = """\
# torch

```python
import torch
bad()
```

- in a list:

  ```py
  x = 1
  bad()
  ```

```sh
bad()
```

```python
>>> bad()
1
```

```python
x = ...and so on
bad()
```
"""
DOCSTRING = '''\
def f():
    """Does it.

    >>> import torch
    >>> w = torch.ones(
    ...     3, requires_grad=True)
    >>> w += 1
    """


def g():
    """
    >>> for more, see torch
    >>> w += 1
    """
'''


def found(text: str, name: str) -> tuple[Finding, ...]:
    checker = Checker(Settings(), Project.alone(), fakes.machinery())
    return checker.data(text.encode(), name).findings


def places(text: str, name: str) -> list[str]:
    return [str(one.place) for one in found(text, name)]


def test_python_blocks_of_markdown_are_checked_where_they_stand() -> None:
    assert places(MARKDOWN, "a.md") == ["a.md:5:1", "a.md:12:3", "a.md:20:5"]


def test_blocks_of_markdown_are_one_program() -> None:
    leaf = "import torch\nw = torch.ones(3, requires_grad=True)\n"
    text = f"```python\n{leaf}```\n\n```py\nw += 1\n```\n"
    checked = Checker(Settings(), Project.alone()).data(text.encode(), "a.md")
    assert [(one.code, one.place.row) for one in checked.findings] == [("AG101", 7)]


def test_examples_in_docstrings_are_checked_where_the_settings_say_so() -> None:
    found = {
        asked: Checker(Settings(code_blocks=asked), Project.alone()).data(
            DOCSTRING.encode(), "a.py"
        )
        for asked in (False, True)
    }
    assert found[False].findings == ()
    assert [(one.code, str(one.place)) for one in found[True].findings] == [("AG101", "a.py:7:9")]


def test_markdown_is_found_where_the_settings_say_so(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": MARKDOWN})
    request = Request((str(tmp_path),), isolated=True, no_cache=True, quiet=True)
    assert running.run(request, fakes.machinery()) == 0
    asked = Request((str(tmp_path),), isolated=True, no_cache=True, quiet=True, code_blocks=True)
    assert running.run(asked, fakes.machinery()) == 1
