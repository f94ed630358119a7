from . import answers_forged, channels, claims, compiled, false_arrays, files, inputs_changed, judge_replaced, large, limits_used
from . import memory, process_ended, reference_called
from .gallery import ATTACKS
