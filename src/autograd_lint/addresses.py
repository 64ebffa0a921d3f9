"""Where the project lives: its repository, its documentation, the page of each rule, and the folder
that is installed, in which version.

`[project]` of the package names the same version and addresses.
"""

import os

VERSION = "0.1.0"
FOLDER = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = "https://github.com/autograd-lint/autograd-lint"
DOCUMENTATION = "https://autograd-lint.github.io/autograd-lint/"


def of_rule(name: str) -> str:
    """The page of a rule, by its name."""
    return f"{DOCUMENTATION}rules/{name}/"
