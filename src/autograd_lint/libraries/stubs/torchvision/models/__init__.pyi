from torchvision.models.alexnet import *
from torchvision.models.densenet import *
from torchvision.models.efficientnet import *
from torchvision.models.mobilenet import *
from torchvision.models.resnet import *
from torchvision.models.vgg import *
