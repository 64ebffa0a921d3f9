"""The whole way from a printed error to ranked candidates."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lint.checking.desk import Plan
from autograd_lint.configuration.settings import Settings
from autograd_lint.diagnosis import candidates as running
from autograd_lint.diagnosis import order
from autograd_lint.diagnosis.alike import spread
from autograd_lint.diagnosis.evidence import Evidence, Frame
from autograd_lint.diagnosis.experiments import experiment
from autograd_lint.diagnosis.fitting import Way
from autograd_lint.diagnosis.matching import Files, Lines, is_own
from autograd_lint.diagnosis.pointing import pointed
from autograd_lint.diagnosis.ranking import Candidate, Ranked, candidates_of, ranked, suspected
from autograd_lint.diagnosis.reading import read
from autograd_lint.diagnosis.suspects import suspects
from autograd_lint.engine.faults import FaultKind
from autograd_lint.errors import Trouble
from autograd_lint.project import cells, notebooks, reading
from autograd_lint.project.discovery import Discovery
from autograd_lint.project.roots import Homes, folder_of
from autograd_lint.project.source import Source

if TYPE_CHECKING:
    from autograd_lint.diagnosis.candidates import Shown

TOLD_BY_FORM = frozenset(
    {
        FaultKind.SAVED_TENSOR_MODIFIED,
        FaultKind.LEAF_MODIFIED,
        FaultKind.LEAF_VIEW_MODIFIED,
        FaultKind.VIEW_MODIFIED,
    }
)  # errors that begin at a statement which can be told by its form: a write
_POINTED = 40  # candidates, the likeliest ones, that are given the places where a tensor comes from
_MOST_SUSPECT = 4_000_000  # bytes of sources in which statements are looked at by their form


@dataclass(frozen=True)
class Diagnosis:
    """What an error is about, what explains it, and what was looked at for that: `files` that were
    run, and how many the budget has left out."""

    evidence: Evidence
    ranked: Ranked
    way: Way
    files: int = 0
    experiment: str = ""
    troubles: tuple[str, ...] = ()
    left_out: int = 0


@dataclass
class Request:
    """What to diagnose: the error's text, and the files and folders of the program.

    Without `paths` the program is the project around the frames of the traceback, else the working
    directory. `near` says to look at the files of the traceback alone. `lines` gives the lines of
    a file or a notebook's cell.
    """

    text: str
    paths: Sequence[Path] = ()
    settings: Settings = field(default_factory=Settings)
    jobs: int | None = None
    cache: Path | None = None
    near: bool = False
    lines: Lines | None = None


def diagnose(request: Request) -> Diagnosis | None:
    """The diagnosis of an error; None where its text does not speak of autograd."""
    evidence = read(request.text)
    return None if evidence is None else _Diagnosing(request, evidence).run()


def survey(request: Request) -> Shown:
    """What the runs of all files of a program show."""
    program = _Program(request, ())
    return running.everywhere(program.files, None, program.plan, request.jobs, request.cache)


class _Diagnosing:
    def __init__(self, request: Request, evidence: Evidence) -> None:
        self._program = _Program(request, (*evidence.frames, *evidence.forward))
        self._request = request
        self._evidence = evidence
        self._texts = Texts()

    def run(self) -> Diagnosis:
        shown, found = running.Shown(), Ranked()
        for stage in self._stages():
            shown = shown.joined(stage)
            found = self._ranked(shown)
            if found.is_shown:
                break
        if not (found.is_explained if self.way.steps else found.is_sure):
            found = self._ranked(shown, with_suspects=True)
        if not self.way.steps:
            found = spread(found, self._texts.source)
        first, rest = found.candidates[:_POINTED], found.candidates[_POINTED:]
        found = replace(found, candidates=(*map(self._pointed, first), *rest))
        return Diagnosis(
            self._evidence,
            found,
            self.way,
            len(set(shown.files)),
            experiment(self._evidence, found, self.way),
            tuple(dict.fromkeys(shown.troubles)),
            shown.left_out,
        )

    def _stages(self) -> Iterator[running.Shown]:
        """What the files show that the traceback leads by, then those that they import, then the
        others; of what the traceback does not name, those that can hold such a mistake, the most
        suspect first, as far as a budget goes."""
        plan, request = self._program.plan, self._request
        steps = (*self.way.steps, *self.way.forward)
        known = running.known_path(steps, self._evidence.topic)
        named = list(dict.fromkeys(cells.file_of(step.filename) for step in steps))
        if named:
            yield running.along(named, known, plan)
        if request.near:
            return
        reached = set(running.loaded(named, plan)) - set(named)
        others = [path for path in self._program.files if str(path) not in named]
        concerned = [path for path in others if self._may_hold(path)]
        budget = order.BUDGET if len(concerned) > order.FEW else None
        if budget is not None:
            concerned = order.ordered(
                concerned, order.promises(self._suspected), self._evidence.topic.error
            )
        first = [path for path in concerned if str(path) in reached]
        rest = [path for path in concerned if str(path) not in reached]
        for files in filter(None, (first, rest)):
            yield running.everywhere(files, known, plan, request.jobs, request.cache, budget)

    def _may_hold(self, path: Path) -> bool:
        """Whether a file may hold a mistake of the class of the error, by its text."""
        topic = self._evidence.topic
        if topic.error not in TOLD_BY_FORM or not topic.suspects:
            return True
        source = self._texts.source(path)
        return source is None or re.search(topic.suspects, source.text) is not None

    def _ranked(self, shown: Shown, with_suspects: bool = False) -> Ranked:
        findings = running.distinct(shown.findings)
        found = candidates_of(findings, self._evidence, self.way)
        if with_suspects:
            found += self._suspected
        return ranked(found, self._evidence.topic.earlier)

    def _pointed(self, candidate: Candidate) -> Candidate:
        """A candidate with the places where what it is about comes from."""
        source = self._texts.source(Path(candidate.finding.place.filename))
        if source is None:
            return candidate
        return replace(candidate, finding=pointed(candidate.finding, source, self._evidence))

    @cached_property
    def _suspected(self) -> list[Candidate]:
        """The statements that are suspected for their form."""
        return suspected(
            one
            for source in self._suspicious()
            for one in suspects(source, self._evidence, self.way)
        )

    def _suspicious(self) -> Iterable[Source]:
        """The sources to look at by their form: those of the traceback, else all, as far as it
        goes, tests and what stands beside what is trained last."""
        passed = dict.fromkeys(
            cells.file_of(one.filename) for one in (*self.way.steps, *self.way.forward)
        )
        size = 0
        error = self._evidence.topic.error
        files = [Path(name) for name in passed] or order.ordered(self._program.files, {}, error)
        for path in files:
            source = self._texts.source(path)
            if source is None or "torch" not in source.text:
                continue
            size += len(source.text)
            if size > _MOST_SUSPECT:
                return
            yield source

    @cached_property
    def way(self) -> Way:
        """Where the traceback leads, in the files at hand."""
        evidence = self._evidence
        files = Files(self._program.files, self._request.lines or self._texts.lines)
        steps = files.steps(evidence.frames, self._texts.cells)
        forward = files.steps(evidence.forward, self._texts.cells)
        return Way(tuple(steps), tuple(forward), _is_direct(evidence.frames))


class _Program:
    """The files to look at, and how they are checked."""

    def __init__(self, request: Request, frames: Sequence[Frame]) -> None:
        self._request = request
        self._frames = frames

    @cached_property
    def _roots(self) -> tuple[Path, ...]:
        """What was named, else the projects of the frames that are at hand, else where one is."""
        if self._request.paths:
            return tuple(self._request.paths)
        homes = Homes()
        near = [Path(os.path.abspath(one.filename)) for one in self._frames if is_own(one)]
        folders = [homes.of(path.parent).folder for path in near if path.is_file()]
        return tuple(dict.fromkeys(folders)) or (Path.cwd(),)

    @cached_property
    def files(self) -> list[Path]:
        """All files; raises Trouble for a path that was named and is not there."""
        found = list(Discovery(self._request.settings).files(self._roots))
        for one in found:
            if isinstance(one, Trouble) and self._request.paths:
                raise one
        return [one for one in found if isinstance(one, Path)]

    @cached_property
    def plan(self) -> Plan:
        """How they are checked."""
        named = (folder_of(Path(os.path.abspath(path))) for path in self._roots)
        settings = running.settings_for(self._request.settings)
        return Plan(settings, tuple(dict.fromkeys(named)))


def _is_direct(frames: Sequence[Frame]) -> bool:
    """Whether torch was called by the last frame of the program, with no other package between."""
    own = [index for index, frame in enumerate(frames) if is_own(frame)]
    below = frames[own[-1] + 1 :] if own else ()
    return all("torch" in frame.filename.replace("\\", "/").split("/") for frame in below[:1])


class Texts:
    """Files as sources, lines and cells; each is read once."""

    def __init__(self) -> None:
        self._sources: dict[Path, Source | None] = {}
        self._notebooks: dict[str, dict[str, list[str]]] = {}

    def source(self, path: Path) -> Source | None:
        """A file; None for a notebook and for what cannot be read."""
        if cells.is_notebook(path.name):
            return None
        if path not in self._sources:
            self._sources[path] = _tried(lambda: reading.decode(path.read_bytes(), str(path)))
        return self._sources[path]

    def lines(self, name: str) -> Sequence[str]:
        """The lines of a file, or of a cell."""
        if cells.cell_of(name) is not None:
            return self._cells(cells.file_of(name)).get(name, [])
        source = self.source(Path(name))
        return source.lines if source is not None else []

    def cells(self, notebook: str) -> Sequence[str]:
        """The names of a notebook's cells."""
        return list(self._cells(notebook))

    def _cells(self, notebook: str) -> dict[str, list[str]]:
        if notebook not in self._notebooks:
            self._notebooks[notebook] = _read_cells(notebook)
        return self._notebooks[notebook]


def _read_cells(notebook: str) -> dict[str, list[str]]:
    try:
        read_notebook = notebooks.read(Path(notebook).read_bytes(), notebook)
    except (OSError, *reading.UNREADABLE):
        return {}
    return {read_notebook.name(number): text.split("\n") for number, text in read_notebook.cells}


def _tried(read_source: Callable[[], Source]) -> Source | None:
    try:
        return read_source()
    except (OSError, *reading.UNREADABLE):
        return None
