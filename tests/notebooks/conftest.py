"""Makes the modules of notebooks/ importable, as they are to a notebook."""

import sys
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))
