"""The options of `check` as one value, and which of them do not go together."""

from dataclasses import dataclass

from autograd_lint.checking.executors import PROCESSES, refuse_unknown
from autograd_lint.errors import Trouble

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson", "html")


@dataclass(frozen=True, repr=False, eq=False)
class Request:
    """The options of `check`, as click read them."""

    paths: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[str, ...] = ()
    certainty: str | None = None
    target_torch: str | None = None
    confirm: bool = False
    confirm_unconfined: bool = False
    device: str | None = None
    save_witnesses: str | None = None
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    add_noqa: bool = False
    reason: str | None = None
    baseline: str | None = None
    write_baseline: bool = False
    output_format: str = "text"
    output_file: str | None = None
    output: tuple[str, ...] = ()
    statistics: bool = False
    coverage: bool = False
    facts: tuple[str, ...] = ()
    exit_zero: bool = False
    fail_on: str | None = None
    preview: bool = False
    code_blocks: bool = False
    show_files: bool = False
    show_settings: bool = False
    watch: bool = False
    stdin_filename: str | None = None
    config: str | None = None
    isolated: bool = False
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    jobs: int | None = None
    shard: str | None = None
    executor: str = PROCESSES
    no_cache: bool = False
    cache_dir: str | None = None
    quiet: bool = False
    verbose: bool = False
    color: str = "auto"

    @property
    def confirms(self) -> bool:
        """Whether findings are to be tried on the real engine."""
        return self.confirm or self.confirm_unconfined

    @property
    def writes(self) -> bool:
        """Whether fixes are to be written: `--diff` only shows them, with `--fix` as well."""
        return self.fix and not self.diff


def refuse(request: Request) -> None:
    """Raise Trouble for options that do not go together."""
    if request.device and not request.confirms:
        raise Trouble("--device works with --confirm; add it")
    if request.save_witnesses is not None and not request.confirms:
        raise Trouble("--save-witnesses works with --confirm; add it")
    if request.stdin_filename and "-" not in request.paths:
        raise Trouble("--stdin-filename names standard input; give `-` as the path")
    if request.unsafe_fixes and not (request.fix or request.diff):
        raise Trouble("--unsafe-fixes works with --fix or --diff; add one of them")
    if request.reason is not None and not request.add_noqa:
        raise Trouble("--reason works with --add-noqa; add it")
    if request.statistics and request.output_format not in ("text", "concise", "json"):
        raise Trouble("--statistics: counts are text or json; choose with --output-format")
    if request.coverage and request.output_format not in ("text", "concise", "json"):
        raise Trouble("--coverage: what was missed is text or json; choose with --output-format")
    if request.shard and (request.fix or request.add_noqa or request.watch or "-" in request.paths):
        raise Trouble("--shard: a part is only checked; leave out --fix, --add-noqa, --watch and -")
    refuse_unknown(request.executor)
    if request.jobs and request.executor != PROCESSES:
        raise Trouble("--jobs counts processes of this machine; leave it out with --executor")
    if request.coverage and request.statistics:
        raise Trouble("--coverage and --statistics each stand in place of findings; give one")
