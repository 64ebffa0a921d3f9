"""What other programs read of this repository is what they expect."""

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pre_commit.clientlib import load_manifest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
ACTION = "autograd-lint/autograd-lint"
BLOCKS = re.findall(r"```yaml\n# (\S+)\n(.*?)```", PAGE, re.DOTALL)


def schema(name: str) -> Any:
    """A schema of SchemaStore, as `check-jsonschema` carries it."""
    folder = files("check_jsonschema.builtin_schemas") / "vendor"
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def loaded(text: str) -> Any:
    """A YAML document; of version 1.2, where `on` is no truth value."""
    return YAML(typ="safe").load(text)


def named(part: str) -> list[Any]:
    """The documents on the page for a file whose name has this part."""
    return [loaded(text) for name, text in BLOCKS if part in name]


def test_the_hooks_are_what_pre_commit_expects() -> None:
    hooks = {hook["id"]: hook for hook in load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))}
    assert set(hooks) == {"autograd-lint", "autograd-lint-fix"}
    for hook in hooks.values():
        assert hook["require_serial"]
        assert hook["types_or"] == ["python", "pyi", "jupyter"]
        assert "--force-exclude" in hook["entry"]


def test_the_page_names_the_hooks_that_there_are() -> None:
    (config,) = named("pre-commit")
    ids = [hook["id"] for repo in config["repos"] for hook in repo["hooks"]]
    assert ids == ["autograd-lint-fix"]  # both would tell every finding twice


def test_the_action_is_what_github_expects() -> None:
    action = loaded((ROOT / "action.yml").read_text(encoding="utf-8"))
    jsonschema.validate(action, schema("github-actions"))
    used = {key for workflow in named("workflows") for key in inputs_of(workflow)}
    assert used <= set(action["inputs"])


def inputs_of(workflow: Any) -> set[str]:
    """The inputs that a workflow gives to this action."""
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    own = [step for step in steps if step.get("uses", "").startswith(f"{ACTION}@")]
    assert own
    return {key for step in own for key in step.get("with", {})}


def test_an_action_that_is_none_would_be_noticed() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"name": "x", "runs": {"using": "nothing"}}, schema("github-actions"))


@pytest.mark.parametrize("workflow", named("workflows"))
def test_the_workflows_are_what_github_expects(workflow: Any) -> None:
    jsonschema.validate(workflow, schema("github-workflows"))


def test_the_job_is_what_gitlab_expects() -> None:
    (job,) = named("gitlab")
    jsonschema.validate(job, schema("gitlab-ci"))
