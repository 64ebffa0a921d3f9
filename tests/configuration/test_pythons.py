"""Which Python a project is written for."""

import sys
from pathlib import Path

import pytest

from autograd_lint.configuration.pythons import newer_python, newer_syntax

NEXT = (sys.version_info[0], sys.version_info[1] + 1)
VERSION = f"{NEXT[0]}.{NEXT[1]}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", f'[project]\nrequires-python = ">={VERSION},<4"'),
        ("pyproject.toml", f'[tool.poetry.dependencies]\npython = "^{VERSION}"'),
        ("setup.cfg", f"[options]\npython_requires = >={VERSION}"),
        ("setup.py", f'setup(python_requires=">={VERSION}")'),
        (".python-version", f"{VERSION}.4\n"),
    ],
)
def test_a_project_for_a_newer_python_says_so(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert newer_python([tmp_path / "inner", tmp_path]) == NEXT


@pytest.mark.parametrize(
    "text", ["", 'requires-python = ">=3.8"', f'requires-python = "<{VERSION}"']
)
def test_a_project_for_this_python_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert newer_python([tmp_path]) is None


@pytest.mark.parametrize(
    "line",
    [
        "type Batch = tuple[int, int]",
        "    async def first[T](items: list[T]) -> T:",
        "class Box[T]:",
        """print(f"{table["key"]}")""",
        "print(f'{x} of {table['key']:>3}')",
        """echo(f"on: {style('yes' if table['key'] else 'no',""",
    ],
)
def test_syntax_of_a_newer_python_says_which_one(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 11))
    assert newer_syntax(line) == (3, 12)
    monkeypatch.setattr(sys, "version_info", (3, 12))
    assert newer_syntax(line) is None


@pytest.mark.parametrize(
    "line",
    [
        'print "a"',
        "def f(x)",
        'f"{x"',
        "type = {",
        """print(f"{table['key']}", "}""",
        "x = a[0",
        'f"{x} and (',
        'f"""{x(',
    ],
)
def test_other_lines_do_not(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 11))
    assert newer_syntax(line) is None
