"""Source: hydra/__init__.py."""

from hydra import utils as utils
