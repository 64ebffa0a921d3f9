"""Source: tqdm/autonotebook.py. The same bars, shown elsewhere."""

from tqdm.std import tqdm as tqdm
from tqdm.std import trange as trange
