"""What is published says what is so."""

import json
import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

import autograd_lint
from autograd_lint import addresses

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_addresses_of_the_package_are_those_of_the_tool() -> None:
    assert PROJECT["urls"]["Documentation"] == addresses.DOCUMENTATION
    assert PROJECT["urls"]["Source"] == addresses.REPOSITORY


def test_every_page_of_a_rule_is_where_its_findings_say() -> None:
    for page in (ROOT / "docs" / "rules").glob("*.md"):
        if page.stem != "index":
            assert addresses.of_rule(page.stem).endswith(f"/rules/{page.stem}/")


def test_the_versions_agree() -> None:
    version = PROJECT["version"]
    assert autograd_lint.__version__ == addresses.VERSION == version
    extension = json.loads((ROOT / "editors" / "vscode" / "package.json").read_text("utf-8"))
    assert extension["version"] == version
    for name in ("README.md", "docs/integrations.md", "docs/versioning.md"):
        pinned = re.findall(
            r"(?:rev: |autograd-lint@)v([\d.]+\d)", (ROOT / name).read_text("utf-8")
        )
        assert set(pinned) == {version}
    assert f'version = "{version}"' in (ROOT / "conda" / "meta.yaml").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{version}]" in changelog and "## [Unreleased]" in changelog


def test_the_recipe_asks_for_what_the_package_asks_for() -> None:
    recipe = (ROOT / "conda" / "meta.yaml").read_text(encoding="utf-8")
    for requirement in PROJECT["dependencies"]:
        name, least = re.match(r"([\w-]+)>=([\d.]+)", requirement).groups()  # type: ignore[union-attr]
        assert f"- {name} >={least}" in recipe


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=str)
def test_the_workflows_are_what_github_expects(path: Path) -> None:
    folder = files("check_jsonschema.builtin_schemas") / "vendor"
    schema = json.loads((folder / "github-workflows.json").read_text(encoding="utf-8"))
    document: Any = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    jsonschema.validate(document, schema)


def test_only_publishing_may_prove_who_it_is() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    document = YAML(typ="safe").load(text)
    assert document["permissions"] == {}
    may = {
        name for name, job in document["jobs"].items() if "id-token" in job.get("permissions", {})
    }
    assert may == {"publish", "pages"}


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=str)
def test_the_workflows_pin_actions_by_their_commit(path: Path) -> None:
    used = re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8"))
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one) for one in used)
