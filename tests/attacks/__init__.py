from . import answers_forged, channels, claims, compiled, false_arrays, files, inputs_changed, judge_replaced, limits_used, memory
from . import process_ended, reference_called
from .gallery import ATTACKS
