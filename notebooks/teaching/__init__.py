"""What the notebooks share: figures in one style, questions that check their answers, words as labels, real speech.

Nothing here computes what the package `assay` computes.
"""

from . import figures
from .questions import check
from .show import run, table
from .speech import Utterance, labels_of, letters, speech, waveform

__all__ = ["Utterance", "check", "figures", "labels_of", "letters", "run", "speech", "table", "waveform"]
