"""Source: fastai/text/all.py: its names for whoever imports them with a star."""

from fastai.basics import *
