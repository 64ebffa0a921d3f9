"""What hostile programs try, as the superuser and as an ordinary user: nothing gets out."""

import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.live.sandbox.forked import NOBODY, ForkedWitnesses
from tests.live.sandbox.left import has_ended, traces
from tests.live.sandbox.probes import KEY, NAME, PRELUDE, PROBES, is_refusal

from autograd_lint.live.confirm.client import Witnesses
from autograd_lint.live.confirm.jobs import Job, Outcome
from autograd_lint.live.sandbox import bubblewrap

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="calls are those of x86_64"
)
USERS = ["whoever tests", *(["nobody"] if os.name == "posix" and os.getuid() == 0 else [])]
WAYS = [*USERS, *(["bubblewrap"] if bubblewrap.is_there() else [])]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    above = tmp_path_factory.mktemp("above")
    (above / "id_rsa").write_text("secret")
    folder = above / "project"
    (folder / ".hidden").mkdir(parents=True)
    for name in ("data.txt", "other.py", ".hidden/notes.py"):
        (folder / name).write_text("kept = 'secret'\n")
    (folder / "linked.py").symlink_to(above / "id_rsa")
    for path in [above, *above.parents]:
        if path.owner() == "root" and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)  # an ordinary user comes as far as this
    return folder


def begun(way: str) -> Witnesses:
    """Witnesses that are run in one of the ways."""
    running = ForkedWitnesses(NOBODY) if way == "nobody" else Witnesses()
    if way == "bubblewrap":
        running.ways = ("bubblewrap",)
    return running


@pytest.fixture(scope="module", params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def witnesses(way: str) -> Iterator[Witnesses]:
    with begun(way) as running:
        yield running


def probed(witnesses: Witnesses, project: Path, name: str) -> Outcome:
    """What became of a probe."""
    tried = PROBES[name].replace("{project}", str(project))
    tried = tried.replace("{secret}", str(project.parent / "id_rsa"))
    text = PRELUDE + tried + "\n"
    return witnesses.run(Job(str(project / "program.py"), text, root=str(project)))


@pytest.mark.parametrize("name", PROBES)
def test_nothing_gets_out(witnesses: Witnesses, project: Path, name: str) -> None:
    outcome = probed(witnesses, project, name)
    assert (outcome.ended, outcome.lacking) == ("raised", ()), "it got out"
    assert outcome.error is not None
    assert is_refusal(name, outcome.error), outcome.error
    assert "secret" not in outcome.error.partition("'")[0]
    assert (project / "data.txt").read_text() == "kept = 'secret'\n"
    assert (project.parent / "id_rsa").read_text() == "secret"
    assert sorted(path.name for path in project.iterdir()) == [
        ".hidden", "data.txt", "linked.py", "other.py",
    ]  # fmt: skip


def test_what_comes_before_each_probe_raises_nothing(witnesses: Witnesses, project: Path) -> None:
    outcome = witnesses.run(Job(str(project / "program.py"), PRELUDE, root=str(project)))
    assert outcome.ended == "done", outcome.error


def test_nothing_is_left_of_them(project: Path, way: str) -> None:
    with begun(way) as witnesses:
        for name, tried in PROBES.items():
            if NAME in tried or str(KEY) in tried:
                probed(witnesses, project, name)
        process = witnesses._server
        assert process is not None
        assert traces() == []
    assert traces() == []
    assert has_ended(process.pid)


def test_sources_of_the_project_are_there(witnesses: Witnesses, project: Path) -> None:
    text = "import os, other\nassert other.kept\nnames = os.listdir(os.path.dirname(__file__))\n"
    text += "assert names == ['other.py'], names\n"
    outcome = witnesses.run(Job(str(project / "program.py"), text, root=str(project)))
    assert outcome.ended == "done", outcome.error


def test_torch_works(witnesses: Witnesses, project: Path) -> None:
    text = "import torch\nx = torch.ones(3, requires_grad=True)\nx.exp().sum().backward()\n"
    text += "torch.save(x, 'kept.pt')\nassert torch.load('kept.pt').equal(x)\n"
    outcome = witnesses.run(Job(str(project / "program.py"), text, root=str(project)))
    assert (outcome.ended, outcome.backward_calls) == ("done", 1), outcome.error


def test_threads_work(witnesses: Witnesses, project: Path) -> None:
    text = "import threading\nseen = []\none = threading.Thread(target=seen.append, args=(1,))\n"
    text += "one.start()\none.join()\nassert seen == [1]\n"
    outcome = witnesses.run(Job(str(project / "program.py"), text, root=str(project)))
    assert outcome.ended == "done", outcome.error
