"""What the notebooks share: figures in one style, questions and exercises that check
the answers, words as labels, real speech.

Nothing here computes what the package `assay` computes.
"""

from . import feedback, figures
from .exercises import exercise
from .puzzles import puzzle
from .questions import check
from .show import run, table
from .speech import Utterance, labels_of, letters, speech, waveform

__all__ = [
    "Utterance",
    "check",
    "exercise",
    "feedback",
    "figures",
    "labels_of",
    "letters",
    "puzzle",
    "run",
    "speech",
    "table",
    "waveform",
]
