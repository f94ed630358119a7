from . import answers_forged, channels, claims, compiled, false_arrays, files, inputs_changed, judge_replaced, large
from . import large_together, limits_used, memory, patterns, process_ended, reference_called, values_people_have
from . import widened
from .gallery import ATTACKS
