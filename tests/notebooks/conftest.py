"""Makes the modules of notebooks/ importable, as they are to a notebook."""

import os
import sys
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a debugger's remark on standard error, of each Python started
