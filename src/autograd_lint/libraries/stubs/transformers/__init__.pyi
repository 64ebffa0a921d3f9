from transformers.configuration_utils import PreTrainedConfig as PreTrainedConfig
from transformers.configuration_utils import PretrainedConfig as PretrainedConfig
from transformers.modeling_utils import PreTrainedModel as PreTrainedModel
from transformers.optimization import Adafactor as Adafactor
from transformers.optimization import AdamW as AdamW
from transformers.trainer import Seq2SeqTrainer as Seq2SeqTrainer
from transformers.trainer import Trainer as Trainer
