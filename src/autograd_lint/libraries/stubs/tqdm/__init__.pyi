"""Source: tqdm/__init__.py."""

from tqdm.std import tqdm as tqdm
from tqdm.std import trange as trange

tqdm_notebook = tqdm
tnrange = trange
