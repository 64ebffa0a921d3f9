"""Where the user's program is: the innermost frame outside of torch and other libraries."""

import ast
import linecache
import opcode
import os
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from weakref import ref

from autograd_lint.live.running_modules import CALL, Paths
from autograd_lint.places import Place

_LIBRARY, _OPTIMIZERS = "a library", "a library of optimizers"
_INSTRUCTIONS = 32  # bits
_CELL = "<ipython-input"
_READING = opcode.opmap["LOAD_ATTR"]
_MOST_MODULES = 10_000  # of which the names are kept


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One instruction of the user's program; `optimizer` is the class whose `step` it was in,
    `module` the module of a library that it runs.

    `filename` is absolute, as the file was found when its code first ran. There is one object for
    each site, for code objects take long to compare.
    """

    code: CodeType
    instruction: int
    filename: str
    optimizer: str | None = None
    module: str = ""

    @property
    def place(self) -> Place:
        """The source range of the instruction: the whole line where Python keeps no columns."""
        filename = self.filename
        row, end_row, column, end_column = _position(self.code, self.instruction)
        if row is None:
            return Place(filename, self.code.co_firstlineno, 1, self.code.co_firstlineno, 1)
        end_row = end_row or row
        if column is None or end_column is None:
            text = linecache.getline(filename, row).rstrip()
            return Place(filename, row, len(text) - len(text.lstrip()) + 1, row, len(text) + 1)
        return Place(
            filename,
            row,
            _characters(filename, row, column) + 1,
            end_row,
            _characters(filename, end_row, end_column) + 1,
        )

    @property
    def reads_attribute(self) -> bool:
        """Whether the instruction reads an attribute (`w.data`) and calls nothing."""
        return self.code.co_code[self.instruction] == _READING


Position = tuple[int | None, int | None, int | None, int | None]


def _position(code: CodeType, instruction: int) -> Position:
    if sys.version_info >= (3, 11):
        found = next(islice(code.co_positions(), instruction // 2, None), None)
        if found is not None and found[0] is not None:
            return found
    line = None
    for start, end, row in code.co_lines():
        if start <= instruction < end:
            line = row
    return line, line, None, None


def _characters(filename: str, row: int, column: int) -> int:
    # Code objects count columns in bytes of UTF-8.
    text = linecache.getline(filename, row)
    return column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))


def first_argument(frame: FrameType) -> object:
    """What the first argument of a running function stands for; None where it has none."""
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None


class Sites:
    """Finds and interns sites. `program` is the file that counts as the user's wherever it lies.

    `discovered` is called whenever a site is found for the first time.
    """

    __slots__ = (
        "_files", "_libraries", "_modules", "_paths", "_program", "_sites", "_steps", "discovered",
    )  # fmt: skip

    def __init__(self, program: str | None = None) -> None:
        self.discovered: Callable[[], None] = _do_nothing
        self._program = program
        self._libraries = _library_folders()
        self._files: dict[str, str] = {}  # absolute; of libraries one of the marks below
        self._sites: dict[int, Site] = {}  # by code and instruction; a site keeps its code
        self._steps: dict[tuple[Site, str], Site] = {}
        self._paths = Paths()
        self._modules: dict[tuple[Site, int], tuple[ref[object], Site]] = {}

    def here(self, depth: int = 1) -> Site | None:
        """The site of the calling thread, `depth` frames up; None outside of the user's code."""
        return self.of_frame(sys._getframe(depth + 1))

    def of_operator(self, depth: int = 1) -> Site | None:
        """The same for an operator that may run inside of a library's module, which is named."""
        outer = inner = None
        files = self._files
        start = frame = sys._getframe(depth + 1)
        while frame is not None:
            code = frame.f_code
            file = files.get(code.co_filename) or self._learn(code.co_filename)
            if file is _OPTIMIZERS:
                return self.of_frame(start)
            if file is not _LIBRARY:
                break
            if code is CALL:
                outer, inner = frame, inner or frame
            frame = frame.f_back  # type: ignore[assignment]
        site = self.of_frame(frame)
        if site is None or outer is None or inner is None:
            return site
        return self._in_module(site, outer, inner)

    def _in_module(self, site: Site, outer: FrameType, inner: FrameType) -> Site:
        module = inner.f_locals["self"]
        key = (site, id(module))
        known, found = self._modules.get(key, (None, site))
        if known is not None and known() is module:
            return found
        if len(self._modules) > _MOST_MODULES:
            self._modules.clear()
        name = self._paths.name(outer, inner, site.place)
        found = Site(site.code, site.instruction, site.filename, module=name)
        self._modules[key] = (ref(module), found)
        return found

    def of_step(self, optimizer: str) -> Site | None:
        """The site that called the running step of an optimizer of this class."""
        site = self.here(1)
        return None if site is None else self._step(site, optimizer)

    def of_frame(self, frame: FrameType | None) -> Site | None:
        """The innermost site at or above `frame`."""
        optimizer: str | None = None
        files = self._files
        while frame is not None:
            code = frame.f_code
            file = files.get(code.co_filename)
            if file is None:
                file = self._learn(code.co_filename)
            if file is _OPTIMIZERS:
                if code.co_name == "step":
                    optimizer = type(frame.f_locals.get("self")).__name__
            elif file is not _LIBRARY:
                site = self._sites.get(id(code) << _INSTRUCTIONS | frame.f_lasti)
                site = self._intern(code, frame.f_lasti) if site is None else site
                return site if optimizer is None else self._step(site, optimizer)
            frame = frame.f_back
        return None

    def of_halt(self, frame: FrameType, instruction: int) -> Site | None:
        """The site of this very frame; None where its code is not the user's."""
        is_users = self.is_users(frame.f_code)
        return self._intern(frame.f_code, instruction) if is_users else None

    def rows_of(self, filename: str) -> list[int]:
        """The rows of a file at which sites are known."""
        known = [site for site in self._sites.values() if site.filename == filename]
        return sorted({site.place.row for site in known})

    def files(self) -> set[str]:
        """The files in which sites are known."""
        return {site.filename for site in self._sites.values()}

    def is_called_by_user(self, frame: FrameType | None) -> bool:
        """Whether the program itself has called the function that runs in a frame."""
        caller = frame.f_back if frame is not None else None
        return caller is not None and self.is_users(caller.f_code)

    def of_traceback(self, traceback: TracebackType | None) -> Site | None:
        """The innermost user frame that an exception passed."""
        found = None
        while traceback is not None:
            code = traceback.tb_frame.f_code
            if self.is_users(code):
                found = self._intern(code, traceback.tb_lasti)
            traceback = traceback.tb_next
        return found

    def is_user_file(self, filename: str) -> bool:
        """Whether a file is the user's: not a library's, not generated code."""
        if filename == self._program:
            return True
        if filename.startswith("<"):
            return filename.startswith(_CELL)
        if filename.startswith(self._libraries) and os.pardir not in filename:
            return False  # as nearly all, which need not be normalized
        return not os.path.abspath(filename).startswith(self._libraries)

    def is_users(self, code: CodeType) -> bool:
        """Whether code is the user's."""
        file = self._files.get(code.co_filename) or self._learn(code.co_filename)
        return file not in (_LIBRARY, _OPTIMIZERS)

    def _intern(self, code: CodeType, instruction: int) -> Site:
        key = id(code) << _INSTRUCTIONS | instruction
        site = self._sites.get(key)
        if site is None:
            site = self._sites[key] = Site(code, instruction, self._files[code.co_filename])
            self.discovered()
        return site

    def _step(self, site: Site, optimizer: str) -> Site:
        key = (site, optimizer)
        step = self._steps.get(key)
        if step is None:
            step = Site(site.code, site.instruction, site.filename, optimizer)
            self._steps[key] = step
        return step

    def _learn(self, filename: str) -> str:
        if self.is_user_file(filename):
            file = filename if filename.startswith("<") else str(Path(filename).absolute())
            file = filename if file == filename else file
        else:
            file = _OPTIMIZERS if "optim" in filename else _LIBRARY
        self._files[filename] = file
        return file


def _do_nothing() -> None:
    pass


def _library_folders() -> tuple[str, ...]:
    torch = sys.modules.get("torch")
    own = {str(Path(torch.__file__).parent)} if torch is not None and torch.__file__ else set[str]()
    return tuple(_folders_of_python() | own)


@cache
def _folders_of_python() -> frozenset[str]:
    paths = sysconfig.get_paths()
    folders = {paths.get(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders.add(str(Path(ast.__file__).parent))  # the standard library of a virtual environment
    folders.add(str(Path(__file__).resolve().parent.parent))
    return frozenset(folder for folder in folders if folder)
