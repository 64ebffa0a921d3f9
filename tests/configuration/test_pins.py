"""Which torch the files of a project tell of."""

from pathlib import Path

import pytest

from autograd_lint.configuration.pins import Pin, pinned

UV = """\
[[package]]
name = "torch"
version = "2.8.0+cpu"
source = { registry = "https://example.org" }

[[package]]
name = "torchvision"
version = "0.23.0"
"""
PIPENV = '{"default": {"torch": {"hashes": ["sha256:0"], "index": "pypi", "version": "==2.4.1"}}}'


def told(folder: Path, name: str, text: str) -> tuple[int, int] | None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    found = pinned([folder])
    return found.version if found else None


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("uv.lock", UV, (2, 8)),
        ("poetry.lock", UV, (2, 8)),
        ("pylock.toml", UV.replace("[package]", "[packages]"), (2, 8)),
        ("Pipfile.lock", PIPENV, (2, 4)),
        ("conda-lock.yml", "package:\n- name: pytorch\n  version: 2.4.0\n", (2, 4)),
        ("requirements.txt", "numpy\ntorch==2.4.1 ; python_version < '3.13'  # why\n", (2, 4)),
        ("requirements-dev.txt", "torch[opt-einsum] >=2.0, <2.6\n", (2, 5)),
        ("requirements.txt", "torch @ https://e.org/cpu/torch-2.6.0%2Bcpu-cp311.whl\n", (2, 6)),
        ("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    torch<2.5\n", (2, 4)),
        ("setup.py", "setup(install_requires=['torch>=1.8,<2.5'])\n", (2, 4)),
        ("environment.yml", "dependencies:\n  - pytorch::pytorch=2.4.0=py3.11_0\n", (2, 4)),
        ("environment.yaml", "dependencies:\n  - pip:\n      - torch==2.8\n", (2, 8)),
    ],
)
def test_a_file_tells_of_torch(
    tmp_path: Path, name: str, text: str, expected: tuple[int, int]
) -> None:
    assert told(tmp_path, name, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        '[project]\ndependencies = ["numpy", "torch>=2,<2.5"]\n',
        '[project.optional-dependencies]\ngpu = ["torch==2.4.*"]\n',
        '[dependency-groups]\ntest = [{ include-group = "x" }, "torch~=2.4.0"]\n',
        '[tool.poetry.dependencies]\npython = "^3.11"\ntorch = "~2.4"\n',
        '[tool.poetry.group.ml.dependencies]\ntorch = { version = "2.4.1", source = "cpu" }\n',
        '[tool.uv]\nconstraint-dependencies = ["torch<2.5"]\n',
    ],
)
def test_pyproject_tells_of_torch(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, "pyproject.toml", text) == (2, 4)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["torch>=2.1"]\n'),
        ("pyproject.toml", '[project]\ndependencies = ["torchvision<0.2", "torch-geometric==2.4"]'),
        ("pyproject.toml", '[tool.poetry]\nkeywords = ["torch"]\n'),
        ("pyproject.toml", "torch = = broken"),
        ("requirements.txt", "# torch==2.4\ntorch\npytorch-lightning==2.4\n"),
        ("requirements.txt", "torch==2.4\ntorch>=2.6\n"),
        ("uv.lock", '[[package]]\nname = "torchvision"\nversion = "0.23.0"\n'),
    ],
)
def test_what_sets_no_limit_tells_nothing(tmp_path: Path, name: str, text: str) -> None:
    assert told(tmp_path, name, text) is None


def install(folder: Path, version: str) -> None:
    site = folder / ".venv" / "lib" / "python3.12" / "site-packages"
    (site / f"torch-{version}.dist-info").mkdir(parents=True)


def test_an_installed_torch_is_read_off_its_folder(tmp_path: Path) -> None:
    install(tmp_path, "2.8.0+cpu")
    found = pinned([tmp_path])
    assert found is not None
    assert (found.version, found.file.name) == ((2, 8), "torch-2.8.0+cpu.dist-info")


def test_a_pin_comes_before_what_is_installed(tmp_path: Path) -> None:
    install(tmp_path, "2.8.0")
    assert told(tmp_path, "requirements.txt", "torch==2.4") == (2, 4)


def test_what_is_installed_comes_before_a_limit(tmp_path: Path) -> None:
    install(tmp_path, "2.8.0")
    assert told(tmp_path, "requirements.txt", "torch<2.10") == (2, 8)


def test_a_lock_comes_before_a_requirement(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text(UV)
    assert told(tmp_path, "requirements.txt", "torch==2.4") == (2, 8)


def test_the_first_folder_that_tells_counts(tmp_path: Path) -> None:
    package, other = tmp_path / "package", tmp_path / "other"
    other.mkdir()
    assert told(tmp_path, "requirements.txt", "torch==2.4") == (2, 4)
    assert told(package, "requirements.txt", "torch==2.8") == (2, 8)
    file = package / "requirements.txt"
    assert pinned([other, package, tmp_path]) == Pin((2, 8), file)


def test_a_folder_that_is_not_there_tells_nothing(tmp_path: Path) -> None:
    assert pinned([tmp_path / "gone"]) is None
