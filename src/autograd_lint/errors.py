"""What a user can mend, said in one line; and the end of what nobody waits for."""


class Interrupted(BaseException):
    """A program that was run has let a Ctrl-C pass, and has said so itself."""


class Trouble(Exception):
    """Wrong usage or a thing that cannot be read: one line that names it and the remedy."""


class TooCostly(BaseException):
    """A piece of work that takes more time or memory than it may; nothing is to catch it but
    whoever set the limit."""


class Dropped(Exception):
    """An analysis whose result is not wanted any more."""
