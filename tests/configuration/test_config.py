"""Configuration files."""

from pathlib import Path

import pytest
from tests.fakes import write_tree

from autograd_lint.configuration import config
from autograd_lint.configuration.selection import Selection
from autograd_lint.configuration.settings import (
    Baseline,
    Exclude,
    PerFileIgnore,
    Settings,
    patterns,
)
from autograd_lint.errors import Trouble
from autograd_lint.findings import Certainty, Severity


def test_all_keys_are_read(tmp_path: Path) -> None:
    text = """
    select = ["AG1"]
    ignore = ["AG101"]
    extend-select = ["leaf-view-modified"]
    exclude = ["old/"]
    certainty = "possible"
    target-torch = "2.13"
    baseline = "known.json"
    fail-on = "never"
    preview = true
    [severity]
    AG3 = "info"
    [per-file-ignores]
    "tests/*" = ["ALL"]
    """
    write_tree(tmp_path, {"autograd-lint.toml": text})
    settings = config.load(tmp_path / "autograd-lint.toml")
    assert settings.selection == Selection(("AG1",), ("AG101",), ("leaf-view-modified",))
    assert settings.per_file_ignores == (PerFileIgnore("tests/*", ("ALL",), tmp_path),)
    assert (settings.exclude, settings.certainty) == (
        (Exclude("old/", tmp_path),),
        Certainty.POSSIBLE,
    )
    assert settings.baseline == Baseline(tmp_path / "known.json", tmp_path)
    assert settings.target_torch == "2.13"
    assert (settings.severities, settings.fail_on) == ((("AG3", Severity.INFO),), "never")
    assert settings.preview


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
            "unknown key `zzz`; known keys: baseline, certainty, code-blocks, exclude, extend, "
            "extend-exclude, extend-select, facts, fail-on, ignore, models, per-file-ignores, "
            "preview, select, severity, target-torch",
        ),
        ('select = "AG1"', '`select` must be a list of strings, as ["AG103"]'),
        ("select = [1]", '`select` must be a list of strings, as ["AG103"]'),
        ('certainty = "sure"', "`certainty` must be one of certain, likely, possible"),
        ('target-torch = "two"', '`target-torch` must be a version like "2.13"'),
        ("target-torch = 2.13", '`target-torch` must be a version like "2.13"'),
        ("baseline = 1", "`baseline` must be a string"),
        (
            r"exclude = ['old\']",
            r"`exclude` 'old\\': folders are separated by `/` everywhere; write 'old/'",
        ),
        (
            r"per-file-ignores = {'tests\*.py' = ['AG1'], 'a\b' = []}",
            r"`per-file-ignores` 'a\\b': folders are separated by `/` everywhere; write 'a/b'",
        ),
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
    with pytest.raises(Trouble, match=r"cannot be read as TOML .*; fix it or use --isolated"):
        config.load(path)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "autograd-lint.toml"
    path.write_bytes(b'\xef\xbb\xbfcertainty = "certain"\r\n')
    assert config.load(path).certainty is Certainty.CERTAIN


def test_a_folder_of_models_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "autograd-lint.toml"
    path.write_text('models = ["lint/models"]')
    with pytest.raises(Trouble, match=r"`models` names .*models, which is not a folder"):
        config.load(path)


def test_a_table_that_is_none_is_one_line(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": "[tool]\nautograd-lint = 1"})
    with pytest.raises(Trouble, match=r"`tool\.autograd-lint` must be a table"):
        config.load(tmp_path / "pyproject.toml")


def test_a_pattern_that_makes_no_sense_is_one_line() -> None:
    with pytest.raises(Trouble, match="pattern '!' cannot be read"):
        patterns(("!",))


def test_a_file_lies_over_the_one_it_extends(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "base.toml": 'ignore = ["AG1"]\ncertainty = "certain"\nexclude = ["old/"]\n',
            "sub/autograd-lint.toml": 'extend = "../base.toml"\nignore = ["AG2"]\n'
            'extend-exclude = ["new/"]\n',
        },
    )
    settings = config.load(tmp_path / "sub" / "autograd-lint.toml")
    assert settings.selection.ignore == ("AG1", "AG2")
    assert settings.certainty is Certainty.CERTAIN
    assert settings.exclude == (Exclude("old/", tmp_path), Exclude("new/", tmp_path / "sub"))
    assert settings.root == tmp_path / "sub"


def test_select_takes_the_place_of_what_the_extended_file_chooses(tmp_path: Path) -> None:
    base = 'ignore = ["AG1"]\nextend-select = ["AG3"]'
    write_tree(tmp_path, {"base.toml": base, "own.toml": 'extend = "base.toml"\nselect = ["AG2"]'})
    assert config.load(tmp_path / "own.toml").selection == Selection(("AG2",))


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({"a.toml": 'extend = "b.toml"'}, "`extend` names .*b.toml, which is not a file"),
        (
            {"a.toml": 'extend = "b.toml"', "b.toml": 'extend = "a.toml"'},
            "`extend` leads back to .*a.toml",
        ),
    ],
)
def test_what_cannot_be_extended_is_one_line(
    tmp_path: Path, files: dict[str, str], line: str
) -> None:
    write_tree(tmp_path, files)
    with pytest.raises(Trouble, match=line):
        config.load(tmp_path / "a.toml")


@pytest.mark.parametrize(
    ("severities", "expected"),
    [
        ((), Severity.ERROR),
        ((("AG1", Severity.INFO),), Severity.INFO),
        ((("AG101", Severity.INFO), ("AG1", Severity.WARNING)), Severity.INFO),
        ((("AG1", Severity.INFO), ("AG1", Severity.WARNING)), Severity.WARNING),
        ((("AG2", Severity.INFO),), Severity.ERROR),
    ],
)
def test_the_closest_selector_sets_the_severity(
    severities: tuple[tuple[str, Severity], ...], expected: Severity
) -> None:
    found = Settings(severities=severities).severity("AG101", "leaf-modified", Severity.ERROR)
    assert found is expected


def test_a_file_on_another_drive_is_not_excluded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def relpath(path: str, start: Path) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")  # as on Windows

    monkeypatch.setattr("os.path.relpath", relpath)
    assert not Settings(exclude=(Exclude("*.py", tmp_path),)).excludes("D:/train.py")
