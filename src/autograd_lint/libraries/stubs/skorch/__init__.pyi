from skorch.net import NeuralNet as NeuralNet
from skorch.net import NeuralNetClassifier as NeuralNetClassifier
from skorch.net import NeuralNetRegressor as NeuralNetRegressor
