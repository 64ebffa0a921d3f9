"""Configuration files."""

from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint import config
from autograd_lint.config import PerFileIgnore
from autograd_lint.errors import Trouble
from autograd_lint.findings import Certainty
from autograd_lint.selection import Selection


def test_all_keys_are_read(tmp_path: Path) -> None:
    text = """
    select = ["AG1"]
    ignore = ["AG101"]
    extend-select = ["leaf-view-modified"]
    exclude = ["old/"]
    certainty = "possible"
    target-torch = "2.13"
    baseline = "known.json"
    [per-file-ignores]
    "tests/*" = ["ALL"]
    """
    write_tree(tmp_path, {"autograd-lint.toml": text})
    settings = config.load(tmp_path / "autograd-lint.toml")
    assert settings.selection == Selection(("AG1",), ("AG101",), ("leaf-view-modified",))
    assert settings.per_file_ignores == (PerFileIgnore("tests/*", ("ALL",), tmp_path),)
    assert (settings.exclude, settings.certainty) == (("old/",), Certainty.POSSIBLE)
    assert (settings.target_torch, settings.baseline) == ("2.13", "known.json")


def test_pyproject_has_a_table_of_its_own(tmp_path: Path) -> None:
    write_tree(
        tmp_path, {"pyproject.toml": '[tool.autograd-lint]\nselect = ["AG1"]\n[tool.x]\ny = 1'}
    )
    assert config.load(tmp_path / "pyproject.toml").selection.select == ("AG1",)


def test_the_nearest_file_upward_is_found(tmp_path: Path) -> None:
    table = "[tool.autograd-lint]\n"
    write_tree(tmp_path, {"pyproject.toml": table, "a/b/c.py": "", "a/pyproject.toml": "[tool.x]"})
    assert config.find(tmp_path / "a" / "b") == tmp_path / "pyproject.toml"


def test_the_own_file_comes_before_pyproject(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": "[tool.autograd-lint]\n", "autograd-lint.toml": ""})
    assert config.find(tmp_path) == tmp_path / "autograd-lint.toml"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("selct = []", "unknown key `selct`; did you mean `select`?"),
        (
            "zzz = 1",
            "unknown key `zzz`; known keys: baseline, certainty, exclude, extend-select, ignore, "
            "per-file-ignores, select, target-torch",
        ),
        ('select = "AG1"', '`select` must be a list of strings, as ["AG103"]'),
        ("select = [1]", '`select` must be a list of strings, as ["AG103"]'),
        ('certainty = "sure"', "`certainty` must be one of certain, likely, possible"),
        ('target-torch = "two"', '`target-torch` must be a version like "2.13"'),
        ("target-torch = 2.13", '`target-torch` must be a version like "2.13"'),
        ("baseline = 1", "`baseline` must be a string"),
        (
            "per-file-ignores = []",
            '`per-file-ignores` must be a table of lists, as {"tests/*" = ["AG103"]}',
        ),
    ],
)
def test_a_mistake_is_one_line_with_file_key_and_remedy(
    tmp_path: Path, text: str, line: str
) -> None:
    path = tmp_path / "autograd-lint.toml"
    path.write_text(text)
    with pytest.raises(Trouble) as raised:
        config.load(path)
    assert str(raised.value) == f"{path}: {line}"


@pytest.mark.parametrize("data", [b"select = [", b"\xff\xfe", b"x = 1\nx = 2"])
def test_a_file_that_is_no_toml_is_one_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "autograd-lint.toml"
    path.write_bytes(data)
    with pytest.raises(Trouble, match=r"cannot be read as TOML .*; mend it or use --isolated"):
        config.load(path)


def test_a_table_that_is_none_is_one_line(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": "[tool]\nautograd-lint = 1"})
    with pytest.raises(Trouble, match=r"`tool\.autograd-lint` must be a table"):
        config.load(tmp_path / "pyproject.toml")


def test_a_pattern_that_makes_no_sense_is_one_line() -> None:
    with pytest.raises(Trouble, match="pattern '!' cannot be read"):
        config.patterns(("!",))
