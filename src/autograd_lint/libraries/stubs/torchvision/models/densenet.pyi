"""Source: torchvision/models/densenet.py, with one convolution for the dense blocks."""

from torch import nn

class DenseNet(nn.Module):
    def __init__(self, channels=1024, num_classes=1000):
        super().__init__()
        self.features = nn.Sequential()
        self.features.add_module("conv0", nn.Conv2d(3, 64, 7, 2, 3, bias=False))
        self.features.add_module("norm0", nn.BatchNorm2d(64))
        self.features.add_module("relu0", nn.ReLU(inplace=True))
        self.features.add_module("pool0", nn.MaxPool2d(3, 2, 1))
        self.features.add_module("denseblock1", nn.Conv2d(64, channels, 8, 8, bias=False))
        self.features.add_module("norm5", nn.BatchNorm2d(channels))
        self.classifier = nn.Linear(channels, num_classes)

    def forward(self, x):
        out = nn.functional.relu(self.features(x), inplace=True)
        return self.classifier(nn.functional.adaptive_avg_pool2d(out, (1, 1)).flatten(1))

def _densenet(channels, options):
    return DenseNet(channels, options.get("num_classes", 1000))

def densenet121(weights=None, progress=True, **options):
    return _densenet(1024, options)

def densenet161(weights=None, progress=True, **options):
    return _densenet(2208, options)

def densenet169(weights=None, progress=True, **options):
    return _densenet(1664, options)

def densenet201(weights=None, progress=True, **options):
    return _densenet(1920, options)
