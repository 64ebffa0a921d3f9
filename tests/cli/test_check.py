"""The command `check`: what it prints, where, and its exit code."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests import fakes
from tests.fakes import write_tree

from autograd_lint import addresses
from autograd_lint.checking.request import Request
from autograd_lint.cli import app, running
from autograd_lint.configuration import config
from autograd_lint.errors import Trouble
from autograd_lint.levels import Certainty, Severity

BROKEN = "import torch\nx = (\n"
PAGE = addresses.of_rule("leaf-modified")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to work in, with nothing above it that configures anything."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*arguments: str, stdin: str | bytes | None = None) -> Result:
    """Run the command as a user does."""
    return CliRunner().invoke(app, ["check", *arguments], input=stdin, standalone_mode=False)


def code_of(result: Result) -> object:
    """The exit code that the command returned."""
    assert result.exception is None, result.exception
    return result.return_value


def trouble_of(result: Result) -> str:
    """The one line that the command ended with."""
    assert isinstance(result.exception, Trouble), result.output
    assert "\n" not in str(result.exception)
    return str(result.exception)


def run(*paths: str, **options: object) -> int:
    """Run with the stand-ins for the interpreter and the rules."""
    return running.run(Request(paths=paths, **options), fakes.machinery())  # type: ignore[arg-type]


def test_nothing_found_is_0(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tree(here, {"a.py": "import torch\n"})
    assert run("a.py") == 0
    assert capsys.readouterr().out == "No findings.\n"


def test_where_nothing_could_be_checked_it_is_not_said_that_nothing_was_found(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("gone.py") == 2
    assert capsys.readouterr().out == ""


def test_findings_are_1_and_drawn(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tree(here, {"a.py": "import torch\nbad()\n"})
    assert run("a.py") == 1
    assert capsys.readouterr().out == (
        "error[AG101] leaf-modified: a leaf is modified\n"
        " --> a.py:2:1\n  |\n2 | bad()\n  | ^^^^^\n  |\n\n"
        "Found 1 finding (1 certain) in 1 file.\n"
    )


def test_exit_zero_is_0_in_spite_of_findings(here: Path) -> None:
    write_tree(here, {"a.py": "import torch\nbad()\n"})
    assert run("a.py", exit_zero=True) == 0


def test_quiet_leaves_out_the_last_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tree(here, {"a.py": "import torch\nbad()\n"})
    run("a.py", quiet=True, output_format="concise")
    assert capsys.readouterr().out == f"a.py:2:1: AG101 a leaf is modified ({PAGE})\n"


def test_the_working_directory_is_the_default(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tree(here, {"sub/a.py": "import torch\nbad()\n"})
    run(output_format="concise", quiet=True)
    assert capsys.readouterr().out == f"sub/a.py:2:1: AG101 a leaf is modified ({PAGE})\n"


def test_a_crash_in_one_file_leaves_the_others_their_findings(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def analyse(
        source: object, project: object, most: int | None, coverage: bool
    ) -> fakes.Analysed:
        assert isinstance(source, fakes.Source)
        if source.filename.endswith("b.py"):
            raise ZeroDivisionError("division by zero")
        return fakes.analyse(source, fakes.Project.alone())

    write_tree(here, dict.fromkeys(("a.py", "b.py", "c.py"), "import torch\nbad()\n"))
    request = Request(output_format="concise", quiet=True)
    assert running.run(request, fakes.machinery(analyse=analyse)) == 2
    captured = capsys.readouterr()
    assert [line[:4] for line in captured.out.splitlines()] == ["a.py", "c.py"]
    assert captured.err == (
        f"autograd-lint: {here}/b.py: the analysis crashed "
        "(ZeroDivisionError: division by zero); please report it\n"
    )


def test_a_missing_path_is_2_and_the_rest_is_checked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tree(here, {"a.py": "import torch\nbad()\n"})
    assert run("gone.py", "a.py", output_format="concise", quiet=True) == 2
    captured = capsys.readouterr()
    assert captured.out.startswith("a.py:2:1")
    assert captured.err == (
        "autograd-lint: gone.py: no such file or directory; "
        "check the path and the working directory\n"
    )


def test_standard_input_is_called_by_its_name(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = check("-", "--stdin-filename", "sub/a.py", "--output-format", "json", stdin=BROKEN)
    assert code_of(result) == 1
    assert json.loads(result.stdout)[0]["filename"] == str(here / "sub" / "a.py")


def test_standard_input_without_a_name(here: Path) -> None:
    result = check("-", "--output-format", "concise", "--quiet", stdin=BROKEN)
    told = "<stdin>:2:5: AG901 the file cannot be parsed: '(' was never closed"
    assert result.stdout == f"{told} ({addresses.of_rule('parse-error')})\n"


def test_what_standard_input_says_is_drawn(here: Path) -> None:
    assert "2 | x = (" in check("-", stdin=BROKEN).stdout


def test_bytes_that_are_no_text_are_drawn_all_the_same(here: Path) -> None:
    (here / "a.py").write_bytes(b"import torch\nx = '\xe9'\n")
    result = check("a.py")
    assert code_of(result) == 1
    assert "byte 0xe9 is not utf-8" in result.stdout


def test_output_file_takes_the_findings(here: Path) -> None:
    write_tree(here, {"a.py": BROKEN})
    result = check("a.py", "--output-file", "out.json", "--output-format", "json")
    assert (code_of(result), result.stdout) == (1, "")
    assert json.loads((here / "out.json").read_text())[0]["code"] == "AG901"


def test_an_output_file_that_cannot_be_written_is_one_line(here: Path) -> None:
    line = trouble_of(check("--output-file", "gone/out.json"))
    expected = "--output-file gone/out.json: cannot be written (No such file or directory)"
    assert line == f"{expected}; choose another"


def test_statistics_count_in_place_of_listing(here: Path) -> None:
    write_tree(here, {"a.py": BROKEN, "b.py": BROKEN})
    result = check("--statistics", "--quiet")
    assert result.stdout == "2  AG901  parse-error\n"


def test_statistics_as_json(here: Path) -> None:
    write_tree(here, {"a.py": BROKEN})
    result = check("--statistics", "--output-format", "json")
    assert json.loads(result.stdout) == [{"code": "AG901", "name": "parse-error", "count": 1}]


def test_statistics_in_another_format_is_one_line(here: Path) -> None:
    line = trouble_of(check("--statistics", "--output-format", "sarif"))
    assert line.startswith("--statistics: counts are text or json")


def test_a_folder_without_python_says_so(here: Path) -> None:
    result = check()
    assert code_of(result) == 0
    assert result.stderr == "autograd-lint: no Python files found under the given paths\n"


def test_where_all_was_excluded_that_is_said(here: Path) -> None:
    write_tree(here, {"autograd-lint.toml": 'exclude = ["a.py"]', "a.py": ""})
    assert check("a.py", "--force-exclude").stderr.endswith("(1 left out by `exclude`)\n")


def test_verbose_says_what_was_read(here: Path) -> None:
    write_tree(here, {"autograd-lint.toml": 'exclude = ["b.py"]', "a.py": "", "b.py": ""})
    assert check("--verbose").stderr.splitlines() == [
        f"configuration: {here}/autograd-lint.toml",
        "files checked: 1; left out by `exclude`: 1",
        "findings silenced by comments: 0",
        "findings refuted by the real engine: 0",
        "findings known to the baseline: 0",
    ]


def test_output_is_the_same_every_time(here: Path) -> None:
    write_tree(here, dict.fromkeys(("a.py", "b/c.py", "b/d.py"), BROKEN))
    first, second = check("b", "a.py", "."), check("b", "a.py", ".")
    assert first.stdout == second.stdout
    assert first.stdout.count("AG901") == 3


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--select", "AG9011"], "command line: unknown rule `AG9011`; did you mean `AG901`?"),
        (
            ["--ignore", "leaf-modifed"],
            "unknown rule `leaf-modifed`; did you mean `leaf-modified`?",
        ),
        (["--extend-select", "D100"], "unknown rule `D100`; `autograd-lint rules` lists them all"),
        (["--per-file-ignores", "a.py:D100"], "command line: unknown rule `D100`"),
        (["--per-file-ignores", "a.py"], "write PATTERN:CODES, as tests/*:AG103"),
        (["--config", "gone.toml"], "--config gone.toml: no such file; check the path"),
        (["--device", "cpu"], "--device works with --confirm; add it"),
        (["--save-witnesses", "x"], "--save-witnesses works with --confirm; add it"),
        (["--target-torch", "two"], '--target-torch must be a version like "2.13"'),
        (["--exclude", "old\\a.py"], "--exclude 'old\\\\a.py': folders are separated by `/`"),
        (["--per-file-ignores", "a\\b.py:AG1"], "--per-file-ignores 'a\\\\b.py': folders are"),
        (["--target-torch", "1.0"], "target torch 1.0 is not known: operators were measured on"),
    ],
)
def test_a_wrong_option_is_one_line_with_its_remedy(
    here: Path, options: list[str], line: str
) -> None:
    assert line in trouble_of(check(*options))


def test_options_with_nothing_to_do_are_accepted(here: Path) -> None:
    write_tree(here, {"a.py": BROKEN})
    assert code_of(check("--no-cache", "--isolated", "--jobs", "2")) == 1


def test_isolated_reads_no_configuration(here: Path) -> None:
    write_tree(here, {"autograd-lint.toml": 'ignore = ["AG901"]', "a.py": BROKEN})
    assert code_of(check()) == 0
    assert code_of(check("--isolated")) == 1


def test_the_nearest_configuration_governs_a_file_whatever_is_named(here: Path) -> None:
    write_tree(here, {"sub/autograd-lint.toml": 'ignore = ["AG901"]', "sub/a.py": BROKEN})
    assert [code_of(check(path)) for path in ("sub/a.py", "sub", ".")] == [0, 0, 0]
    write_tree(here, {"b.py": BROKEN})
    assert [code_of(check(path)) for path in ("sub", ".", "b.py")] == [0, 1, 1]


def test_a_configuration_leaves_out_files_of_its_own_folder(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tree(
        here,
        {
            "autograd-lint.toml": 'exclude = ["old/"]',
            "old/a.py": BROKEN,
            "sub/autograd-lint.toml": 'exclude = ["b.py"]',
            "sub/old/a.py": "",
            "sub/b.py": "",
        },
    )
    assert run(show_files=True) == 0
    assert capsys.readouterr().out == f"{here}/sub/old/a.py\n"


def test_a_nested_configuration_that_comes_later_is_heeded(here: Path) -> None:
    write_tree(here, {"pyproject.toml": "", "sub/a.py": BROKEN, "b.py": "import torch"})
    assert code_of(check(".")) == 1
    write_tree(here, {"sub/autograd-lint.toml": 'ignore = ["AG901"]'})
    assert code_of(check(".")) == 0


def test_a_wrong_configuration_below_is_one_line(here: Path) -> None:
    write_tree(here, {"sub/autograd-lint.toml": "selct = []", "sub/a.py": BROKEN})
    assert trouble_of(check(".")).startswith(f"{here}/sub/autograd-lint.toml: unknown key `selct`")


def test_every_baseline_belongs_to_the_files_of_its_configuration(here: Path) -> None:
    write_tree(here, dict.fromkeys(("sub/a.py", "b.py"), "import torch\nbad()\n"))
    write_tree(here, {"sub/autograd-lint.toml": 'baseline = "known.json"'})
    assert run("sub", write_baseline=True) == 0
    assert (here / "sub" / "known.json").is_file()
    assert (run("sub"), run(".")) == (0, 1)


def test_exclude_adds_to_what_is_left_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tree(
        here, {"autograd-lint.toml": 'exclude = ["a.py"]', "a.py": "", "b.py": "", "c.py": ""}
    )
    run(exclude=("b.py",), show_files=True)
    assert capsys.readouterr().out == f"{here}/c.py\n"


def test_extend_ignore_adds_to_the_configured_choice(here: Path) -> None:
    write_tree(here, {"a.py": "import torch\nbad()\n"})
    assert run("a.py", extend_ignore=("AG101",)) == 0


@pytest.mark.parametrize(
    ("fail_on", "code"), [(None, 1), ("possible", 1), ("likely", 1), ("certain", 0), ("never", 0)]
)
def test_fail_on_says_how_certain_a_finding_makes_the_run_fail(
    here: Path, fail_on: str | None, code: int
) -> None:
    write_tree(here, {"a.py": "import torch\nbad()\n"})
    request = Request(("a.py",), fail_on=fail_on)
    assert running.run(request, fakes.machinery(judge=fakes.likely)) == code


def test_the_configuration_sets_severities(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tree(here, {"a.py": "import torch\nbad()\n"})
    write_tree(here, {"autograd-lint.toml": '[severity]\nAG101 = "info"\nAG1 = "warning"\n'})
    run("a.py", output_format="json")
    assert [one["severity"] for one in json.loads(capsys.readouterr().out)] == ["info"]


def test_rules_in_preview_wait_to_be_asked_for(here: Path) -> None:
    write_tree(here, {"a.py": "import torch\nbad()\n"})
    made = fakes.machinery(preview=frozenset({"AG101"}))
    codes = [running.run(Request(("a.py",), preview=asked), made) for asked in (False, True)]
    assert codes == [0, 1]


def test_settings_are_shown_as_a_configuration_that_says_the_same(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tree(here, {"autograd-lint.toml": 'ignore = ["AG3"]\n[severity]\nAG1 = "info"\n'})
    assert run(show_settings=True, certainty="possible") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"# .: {here}/autograd-lint.toml\n")
    write_tree(here, {"sub/autograd-lint.toml": shown})
    settings = config.load(here / "sub" / "autograd-lint.toml")
    assert settings.selection.ignore == ("AG3",)
    assert settings.certainty is Certainty.POSSIBLE
    assert settings.severities == (("AG1", Severity.INFO),)


def test_a_named_configuration_is_read(here: Path) -> None:
    write_tree(here, {"own.toml": 'ignore = ["AG901"]', "a.py": BROKEN})
    assert code_of(check("--config", "own.toml")) == 0


def test_a_wrong_configuration_names_its_file(here: Path) -> None:
    write_tree(here, {"autograd-lint.toml": 'select = ["D100"]'})
    assert trouble_of(check()).startswith(f"{here}/autograd-lint.toml: unknown rule `D100`")


def test_select_replaces_the_configured_choice(here: Path) -> None:
    write_tree(here, {"autograd-lint.toml": 'ignore = ["AG101"]', "a.py": "import torch\nbad()\n"})
    assert run() == 0
    assert run(select=("AG101",)) == 1


def test_ignore_adds_to_the_configured_choice(here: Path) -> None:
    write_tree(here, {"autograd-lint.toml": 'ignore = ["AG901"]', "a.py": BROKEN + "bad()\n"})
    write_tree(here, {"b.py": "import torch\nbad()\n"})
    assert run(ignore=("AG101",)) == 0


def test_per_file_ignores_of_the_command_line(here: Path) -> None:
    write_tree(here, {"tests/a.py": BROKEN})
    assert code_of(check("--per-file-ignores", "tests/:AG901,AG1")) == 0


def test_a_sibling_is_followed_by_its_import(here: Path) -> None:
    def analyse(
        source: fakes.Source, project: fakes.Project, most: int | None, coverage: bool
    ) -> fakes.Analysed:
        found = project.resolve("helper", source)
        return fakes.analyse(found, project) if found else fakes.Analysed([])

    write_tree(here, {"main.py": "import torch, helper\n", "helper.py": "bad()\n"})
    request = Request(paths=("main.py", "helper.py"))
    assert running.run(request, fakes.machinery(analyse=analyse)) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_a_file_without_rights_is_one_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tree(here, {"a.py": "import torch\n"})
    (here / "a.py").chmod(0)
    assert run("a.py") == 2
    line = f"{here}/a.py: cannot be read (Permission denied); change its permissions or exclude it"
    assert line in capsys.readouterr().err


@pytest.mark.parametrize("form", ["json", "sarif", "github", "gitlab", "junit", "rdjson", "html"])
def test_formats_for_programs_name_the_finding(here: Path, form: str) -> None:
    write_tree(here, {"a.py": BROKEN})
    result = check("--output-format", form)
    assert code_of(result) == 1
    assert "AG901" in result.stdout


def test_several_formats_are_written_at_once(here: Path) -> None:
    write_tree(here, {"a.py": BROKEN})
    result = check("--output", "sarif=a.sarif", "--output", "junit=a=b.xml")
    assert code_of(result) == 1
    assert result.stdout.startswith("error[AG901]")
    log = json.loads((here / "a.sarif").read_text())
    assert log["runs"][0]["results"][0]["ruleId"] == "AG901"
    assert "AG901" in (here / "a=b.xml").read_text()


@pytest.mark.parametrize("given", ["sarif", "sarif=", "=a", "xml=a.xml"])
def test_another_format_is_named_with_its_file(here: Path, given: str) -> None:
    line = trouble_of(check("--output", given))
    assert line.startswith(f"--output {given}: write FORMAT=FILE")


def test_github_of_nothing_is_nothing(here: Path) -> None:
    write_tree(here, {"a.py": ""})
    assert check("--output-format", "github").stdout == ""


NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": "torch"},
            {"cell_type": "code", "source": "x = ("},
        ]
    }
)


def test_a_notebook_is_drawn_by_cell(here: Path) -> None:
    write_tree(here, {"a.ipynb": NOTEBOOK})
    lines = check().stdout.splitlines()
    assert lines[1:4] == [" --> a.ipynb:cell 2:1:5", "  |", "1 | x = ("]


def test_a_notebook_in_json_has_its_cell(here: Path) -> None:
    write_tree(here, {"a.ipynb": NOTEBOOK})
    (record,) = json.loads(check("--output-format", "json").stdout)
    assert (record["filename"], record["cell"]) == (f"{here}/a.ipynb", 2)


def test_a_notebook_in_formats_that_know_no_cells(here: Path) -> None:
    write_tree(here, {"a.ipynb": NOTEBOOK})
    line = check("--output-format", "github").stdout
    assert "file=a.ipynb,line=1," in line
    assert "::cell 2: the cell cannot be parsed" in line


def test_a_place_in_a_cell_is_one_in_the_notebooks_file(here: Path) -> None:
    write_tree(here, {"a.ipynb": json.dumps(json.loads(NOTEBOOK), indent=1)})
    (record,) = json.loads(check("--output-format", "gitlab").stdout)
    row = record["location"]["lines"]["begin"]
    assert '"x = ("' in (here / "a.ipynb").read_text().splitlines()[row - 1]


def test_the_cache_lies_beside_the_configuration(here: Path) -> None:
    write_tree(here, {"sub/autograd-lint.toml": "", "sub/a.py": BROKEN})
    check("sub")
    assert list((here / "sub" / ".autograd_lint_cache").glob("index-*.json"))


def test_the_cache_may_lie_elsewhere_or_nowhere(here: Path) -> None:
    write_tree(here, {"a.py": BROKEN})
    check("--no-cache")
    assert not (here / ".autograd_lint_cache").exists()
    check("--cache-dir", "elsewhere")
    assert list((here / "elsewhere").glob("index-*.json"))
