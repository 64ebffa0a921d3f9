"""Runs the test suites of other packages with and without `pytest --autograd-trace`.

    python benchmarks/suites.py --work FOLDER [--sources FOLDER] [--offline] [--rounds N]
        [--json FILE] [NAME]...

For each package: whether any test ends differently, CPU time and memory traced over plain, and
what was found. Packages are installed into WORK, beside the torch of the running environment, and
never into that. The tests are those of the source distribution, or of SOURCES/NAME (a checkout).
With `--offline` nothing is installed or downloaded: what WORK lacks is that of the environment.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tarfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

FILES = "test_*.py *_test.py *_tests.py"


@dataclass(frozen=True)
class Suite:
    """A package, what its tests need besides torch, where they lie, and which are left out.

    `tests` is the folder of the tests, `only` what of it is run, all if empty; `variables` are of
    the environment.
    """

    package: str
    tests: str
    needs: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()


SUITES = {
    "einops": Suite(
        "einops",
        "einops/tests",
        ("parameterized",),
        only=("test_einsum.py", "test_packing.py", "test_other.py"),
        variables=(("EINOPS_TEST_BACKENDS", "numpy,torch"),),
    ),
    "torchdiffeq": Suite(
        "torchdiffeq", "tests", ("scipy",), only=("api_tests.py", "norm_tests.py")
    ),
    "geotorch": Suite(
        "geotorch", "test", only=("test_sphere.py", "test_skew.py", "test_lowrank.py")
    ),
    "nflows": Suite("nflows", "tests", ("matplotlib", "tensorboard", "tqdm", "umnn")),
    "higher": Suite("higher", "tests", ("parameterized",)),
    "skorch": Suite(
        "skorch",
        "skorch/tests",
        ("scikit-learn", "tabulate", "tqdm", "pandas", "flaky"),
        only=("test_net.py", "test_utils.py", "test_dataset.py"),
    ),
    "opacus": Suite(
        "opacus",
        "opacus/tests",
        ("opt_einsum", "scipy", "hypothesis"),
        only=(
            "grad_samples/linear_test.py",
            "grad_samples/layer_norm_test.py",
            "grad_samples/conv1d_test.py",
            "grad_samples/group_norm_test.py",
            "grad_samples/embedding_test.py",
        ),
    ),
    "linear_operator": Suite(
        "linear_operator",
        "test",
        ("jaxtyping", "scipy", "mpmath"),
        only=("functions",),
    ),
    "gpytorch": Suite(
        "gpytorch",
        "test",
        ("linear_operator", "jaxtyping", "scikit-learn", "mpmath"),
        only=("functions", "likelihoods", "optim"),
    ),
    "kornia": Suite(
        "kornia", "tests", ("kornia_rs", "packaging"), only=("losses", "geometry/epipolar")
    ),
    "torchsde": Suite(
        "torchsde", "tests", ("trampoline", "boltons", "scipy"), only=("test_adjoint.py",)
    ),
    "entmax": Suite("entmax", "entmax"),
    "normflows": Suite("normflows", "normflows"),
    "e3nn": Suite("e3nn", "tests", ("opt_einsum_fx", "scipy", "sympy"), only=("nn",)),
    "metric_learning": Suite(
        "pytorch-metric-learning",
        "tests",
        ("scikit-learn",),
        only=("losses/test_arcface_loss.py", "losses/test_contrastive_loss.py", "reducers"),
    ),
    "torchmetrics": Suite(
        "torchmetrics",
        "tests/unittests",
        ("lightning_utilities", "scipy", "scikit-learn", "cloudpickle"),
        only=("pairwise", "wrappers/test_running.py"),
    ),
    "torch_optimizer": Suite("torch_optimizer", "tests", ("pytorch_ranger",)),
}


@dataclass(frozen=True)
class Workplace:
    """Where packages and sources are, how many seconds a run may take, and how often each is."""

    work: Path
    sources: Path | None
    offline: bool
    seconds: int
    rounds: int


@dataclass
class Run:
    """One run of a suite: outcomes by test, CPU seconds of it and its children, largest memory."""

    outcomes: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    megabytes: float = 0.0
    found: list[str] = field(default_factory=list)
    ended: int = 0


@dataclass
class Row:
    """A line of the table."""

    name: str
    tests: int
    changed: list[str]
    unsteady: list[str]
    cpu: float
    memory: float
    found: list[str]


def main() -> None:
    """Run the suites that are named, all by default, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sources", type=Path)
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--seconds", type=int, default=1_800, help="that a run may take")
    parser.add_argument("--rounds", type=int, default=1, help="in which each suite runs")
    parser.add_argument("--json", type=Path)
    parser.add_argument("names", nargs="*", default=list(SUITES))
    options = parser.parse_args()
    sources = options.sources and options.sources.resolve()
    work, seconds = options.work.resolve(), options.seconds
    place = Workplace(work, sources, options.offline, seconds, options.rounds)
    rows = []
    for name in options.names:
        try:
            row = measured(name, place)
        except (OSError, LookupError, subprocess.CalledProcessError) as error:
            print(f"{name:16} not run: {error}", flush=True)
            continue
        print(line(row), flush=True)
        for one in row.found:
            print(f"    {one}")
        rows.append(row)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


def measured(name: str, place: Workplace) -> Row:
    """Run one suite plain and traced in turn, and plain again: what differs then does so by itself,
    and what the first run has compiled or loaded for all is no part of the least time."""
    suite, folder = SUITES[name], place.work / name
    packages = installed(suite, folder, place)
    root = source(suite, name, folder, place)

    def ran(*options: str) -> Run:
        return run(suite, root, packages, folder, options, place.seconds)

    ran("--collect-only", "--autograd-trace")  # what is compiled and read from the disk once
    rounds = [(ran(), ran("--autograd-trace")) for _ in range(place.rounds)]
    (plain, traced), again = rounds[0], ran()
    changed, unsteady = differing(plain, traced), differing(plain, again)
    least = min(again.seconds, *(one.seconds for one, _ in rounds))
    return Row(
        name,
        len(plain.outcomes),
        [one for one in changed if one not in unsteady],
        unsteady,
        min(one.seconds for _, one in rounds) / max(0.01, least),
        traced.megabytes / max(1.0, plain.megabytes),
        [*ends("plain", plain), *ends("traced", traced), *traced.found],
    )


def ends(how: str, ran: Run) -> Iterator[str]:
    """What is to be said of a run that gave nothing, or did not come to its end."""
    if not ran.outcomes:
        yield f"the {how} run gave no outcomes (exit status {ran.ended})"
    elif ran.ended < 0:
        yield f"the {how} run was killed by signal {-ran.ended}"


def installed(suite: Suite, folder: Path, place: Workplace) -> Path:
    """The folder that holds the package and what its tests need; torch is that of this Python."""
    packages = folder / "packages"
    if not packages.exists() and not place.offline:
        for needed, more in ((suite.needs, ()), ((suite.package,), ("--no-deps",))):
            if needed:
                command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(packages)]
                subprocess.run([*command, *more, *needed], check=True)
        for own in ("torch", "numpy", "nvidia", "triton"):  # of this Python, never a second one
            subprocess.run(["rm", "-rf", str(packages / own)], check=True)
    return packages


def source(suite: Suite, name: str, folder: Path, place: Workplace) -> Path:
    """The folder in which the tests lie."""
    if place.sources is not None and (place.sources / name).is_dir():
        return place.sources / name
    if (folder / "packages" / suite.tests).is_dir():
        return folder / "packages"
    where = folder / "source"
    if not where.exists() and not place.offline:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--no-binary",
            ":all:",
        ]
        subprocess.run([*command, "-d", str(where), suite.package], check=True)
        for archive in where.glob("*.tar.gz"):
            with tarfile.open(archive) as packed:
                packed.extractall(where, filter="data")
    found = next(where.rglob(suite.tests), None)
    if found is None:
        raise LookupError(f"no {suite.tests} in its source distribution; name a checkout")
    return found.parents[suite.tests.count("/")]


def run(
    suite: Suite, root: Path, packages: Path, folder: Path, options: Sequence[str], seconds: int
) -> Run:
    """One run, in a process of its own."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    command = [
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly",
        "-o", "addopts=", "-o", f"python_files={FILES}", "-W", "default",
        f"--junitxml={report}", *chosen(suite), *options,
        *(f"--deselect={one}" for one in suite.but), *ignored(suite),
    ]  # fmt: skip
    paths = [str(root), str(packages), os.environ.get("PYTHONPATH", "")]
    own = {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    environment = {**os.environ, **own, **dict(suite.variables)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.Popen(
        command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    peak, output = watched(ran, seconds)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(dict(outcomes(report)), used, peak, told(output), ran.returncode)


def chosen(suite: Suite) -> list[str]:
    """The files and folders of tests that are run."""
    return [f"{suite.tests}/{one}" for one in suite.only] or [suite.tests]


def ignored(suite: Suite) -> Iterator[str]:
    """The files that are left out."""
    return (f"--ignore-glob=*{one}*" for one in suite.but)


def watched(ran: subprocess.Popen[bytes], seconds: int) -> tuple[float, str]:
    """The most memory that a process takes, in MB, and what it prints."""
    import threading

    peak, ends = [0.0], time.monotonic() + seconds

    def look() -> None:
        while ran.poll() is None:
            peak[0] = max(peak[0], megabytes(ran.pid))
            if time.monotonic() > ends:
                ran.kill()
            time.sleep(0.2)

    thread = threading.Thread(target=look)
    thread.start()
    output = ran.communicate()[0].decode(errors="replace")
    thread.join()
    return peak[0], output


def megabytes(process: int) -> float:
    """The memory of a process now."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    found = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
    return int(found[0]) / 1024 if found else 0.0


def outcomes(report: Path) -> Iterator[tuple[str, str]]:
    """How each test has ended."""
    if not report.exists():
        return
    for case in ElementTree.parse(report).iter("testcase"):
        ends = [one.tag for one in case if one.tag in ("failure", "error", "skipped")]
        yield f"{case.get('classname')}::{case.get('name')}", ends[0] if ends else "passed"


def told(output: str) -> list[str]:
    """The lines of the summary that tell of findings, and of what was not seen."""
    _, found, summary = output.partition("autograd-lint: traced")
    lines = summary.splitlines() if found else output.splitlines()
    return [one.strip() for one in lines if ": AG" in one or "autograd-lint: not seen" in one]


def differing(one: Run, other: Run) -> list[str]:
    """The tests that end differently."""
    names = dict.fromkeys([*one.outcomes, *other.outcomes])
    return [name for name in names if one.outcomes.get(name) != other.outcomes.get(name)]


def line(row: Row) -> str:
    """A row for people."""
    changed = f"{len(row.changed)} changed" if row.changed else "none changed"
    steady = f", {len(row.unsteady)} unsteady" if row.unsteady else ""
    return (
        f"{row.name:16} {row.tests:5} tests, {changed}{steady}; CPU {row.cpu:.2f},"
        f" memory {row.memory:.2f}; {len(row.found)} told {row.changed[:5] or ''}"
    )


if __name__ == "__main__":
    main()
