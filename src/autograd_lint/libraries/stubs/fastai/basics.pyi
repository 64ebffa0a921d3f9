"""Source: fastai/basics.py: its names for whoever imports them with a star."""

import torch as torch
from fastai.callback.core import *
from fastai.data.core import DataLoaders as DataLoaders
from fastai.learner import Learner as Learner
from fastai.learner import trainable_params as trainable_params
from fastai.optimizer import *
from torch import Tensor as Tensor
from torch import nn as nn
from torch import optim as optim
from torch import tensor as tensor

F = nn.functional
