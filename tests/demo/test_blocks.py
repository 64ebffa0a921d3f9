"""Every block of the documentation that a reader copies does what the page says of it.

Commands run in a folder that has what they name; those that cannot run here stand in `LEFT_OUT`,
each with what is tested in its place.
"""

import configparser
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pre_commit.clientlib import load_config
from ruamel.yaml import YAML

from autograd_lint.rules.registry import all_rules
from tests.demo.test_integrations import loaded, schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += sorted((ROOT / "docs" / "tutorials").glob("*.md"))
OWN_SCHEMA = YAML(typ="safe").load((ROOT / "docs" / "autograd-lint.schema.json").read_text("utf-8"))
PROGRAM = "import torch\n\nw = torch.ones(3, requires_grad=True)\nw += 1\n"
FAILING = f'{PROGRAM.partition("w +=")[0]}raise RuntimeError("{{}}")\n'.format(
    "a leaf Variable that requires grad is being used in an in-place operation."
)
NOTEBOOK = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
# The beginning of a command that cannot run in a test, and why.
LEFT_OUT = {
    "pip install": "asks an index of packages: that the extra exists is tested",
    "python3 -m venv": "makes an environment and runs all tests in it",
    "python -m benchmarks": "takes minutes: that its options exist is tested",
    "autograd-lint check --output-format rdjson | reviewdog": "`reviewdog` is no Python package: "
    "what it reads is tested with its format",
    "autograd-lint check --confirm": "needs a kernel that confines: tests/cli/test_confirming.py",
}
TRIED = {"bash", "console", "ini", "python", "sh", "toml", "yaml"}
# Kinds of blocks that are not run as they stand, and what is tested in their place.
TRIED_ELSEWHERE = {
    "": "what is printed, not what is copied",
    "fish": "that the shell is told how to complete: tests/cli/test_main.py",
    "zsh": "the same",
    "py": "a part of a program that needs Lightning or Accelerate: tests/callbacks",
}


def blocks(*kinds: str) -> list[tuple[Path, str]]:
    """The blocks of these kinds on all pages."""
    pattern = re.compile(rf"^```(?:{'|'.join(kinds)})\n(.*?)^```", re.DOTALL | re.MULTILINE)
    return [(page, text) for page in PAGES for text in pattern.findall(page.read_text("utf-8"))]


def command_blocks() -> list[list[str]]:
    """The lines of each block for a shell, and of each console block that shows no output."""
    shell = [text.splitlines() for _, text in blocks("sh", "bash")]
    shown = [text.splitlines() for _, text in blocks("console")]
    silent = [lines for lines in shown if all(map(_is_command, lines))]
    found = [[line.removeprefix("$ ") for line in lines] for lines in (*shell, *silent)]
    return [[line for line in lines if line.strip() and line[0] != "#"] for lines in found]


def commands() -> list[str]:
    return [command for block in command_blocks() for command in block]


def _is_command(line: str) -> bool:
    return line.startswith("$ ")


def left_out(command: str) -> bool:
    return any(command.startswith(beginning) for beginning in LEFT_OUT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with what the commands of the pages name, and the commands themselves."""
    (tmp_path / "train.py").write_text(FAILING, encoding="utf-8")
    for name in ("src", "package"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "test_it.py").write_text("def test_it() -> None:\n    pass\n", encoding="utf-8")
    (tmp_path / "notebook.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    (tmp_path / "error.log").write_text(
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.",
        encoding="utf-8",
    )
    for name in ("autograd-lint", "nbqa", "flake8", "pytest", "python", "torchrun"):
        _command(tmp_path / "bin", name)
    return tmp_path


def _command(folder: Path, name: str) -> None:
    """A command that runs a module of the environment of the tests."""
    modules = {"python": "", "torchrun": "-m torch.distributed.run"}
    module = modules.get(name, f"-m {name.replace('-', '_')}")
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n', "utf-8")
    (folder / name).chmod(0o755)


@pytest.mark.skipif(sys.platform == "win32", reason="the pages show commands of a POSIX shell")
@pytest.mark.parametrize("block", command_blocks(), ids=lambda block: block[0])
def test_the_commands_of_a_block_run_one_after_the_other(block: list[str], folder: Path) -> None:
    paths = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": paths, "PYTEST_ADDOPTS": "-p no:cacheprovider"}
    for command in block:
        if left_out(command):
            continue
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode in (0, 1), ran.stderr
        assert not re.search("Usage:|No module named|not found", ran.stderr)


def test_every_block_is_of_a_kind_that_is_tried() -> None:
    kinds = {
        kind
        for page in PAGES
        for kind in re.findall(r"^```(\w*)\n.*?^```", page.read_text("utf-8"), re.DOTALL | re.M)
    }
    assert kinds <= TRIED | set(TRIED_ELSEWHERE)


def test_nothing_is_left_out_that_no_page_has() -> None:
    unused = [one for one in LEFT_OUT if not any(command.startswith(one) for command in commands())]
    assert unused == []


@pytest.mark.parametrize("command", [one for one in commands() if one.startswith("pip install")])
def test_what_the_pages_install_exists(command: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    name, extras = re.fullmatch(r"pip install '?([\w-]+)(?:\[(.*)\])?'?", command).groups()  # type: ignore[union-attr]
    assert name == project["name"]
    assert set(filter(None, (extras or "").split(","))) <= set(project["optional-dependencies"])


@pytest.mark.parametrize(
    "command", [one for one in commands() if one.startswith("python -m benchmarks")]
)
def test_the_options_of_benchmarks_exist(command: str) -> None:
    module = command.split()[2].replace(".", "/")
    text = (ROOT / f"{module}.py").read_text("utf-8")
    assert [one for one in command.split() if one.startswith("--") and f'"{one}"' not in text] == []


TABLES = [tomllib.loads(text) for _, text in blocks("toml")]
OWN = [one.get("tool", {}).get("autograd-lint", one) for one in TABLES if "ruff" not in str(one)]


@pytest.mark.parametrize("table", OWN)
def test_the_configurations_are_what_the_schema_allows(table: Any) -> None:
    jsonschema.validate(table, OWN_SCHEMA)


@pytest.mark.parametrize("text", [text for _, text in blocks("toml") if "ruff" not in text])
def test_the_configurations_are_read(text: str, folder: Path) -> None:
    name = "pyproject.toml" if "[tool." in text else "autograd-lint.toml"
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "lint" / "models").mkdir(parents=True, exist_ok=True)
    (folder / "known.json").write_text('{"version": 1, "findings": []}', encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "autograd_lint", "check", "--show-settings", "src"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert name in ran.stdout


def test_the_setting_for_ruff_names_the_codes_that_there_are() -> None:
    (table,) = (one for one in TABLES if "ruff" in one.get("tool", {}))
    (prefix,) = table["tool"]["ruff"]["lint"]["external"]
    assert all(rule.code.startswith(prefix) for rule in all_rules())


@pytest.mark.parametrize("text", [text for _, text in blocks("ini")])
def test_the_configurations_of_flake8_name_its_options(text: str) -> None:
    parser = configparser.ConfigParser()
    parser.read_string(text)
    assert parser.sections() == ["flake8"]
    assert set(parser["flake8"]) <= {"extend-select", "select", "per-file-ignores"}


@pytest.mark.parametrize(("page", "text"), blocks("yaml"))
def test_the_documents_are_what_their_programs_expect(
    page: Path, text: str, tmp_path: Path
) -> None:
    document = loaded(text)
    if "pre-commit" in text:
        repos = document if isinstance(document, list) else document["repos"]
        file = tmp_path / ".pre-commit-config.yaml"
        YAML(typ="safe").dump({"repos": repos}, file)
        load_config(str(file))
    elif ".gitlab-ci" in text:
        jsonschema.validate(document, schema("gitlab-ci"))
    elif isinstance(document, list):
        job = {"runs-on": "ubuntu-latest", "steps": document}
        jsonschema.validate({"on": "push", "jobs": {"lint": job}}, schema("github-workflows"))
    else:
        jsonschema.validate(document, schema("github-workflows"))
