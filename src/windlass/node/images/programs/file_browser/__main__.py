"""Runs the file browser: `python3 -I PATH-OF-THIS-FILE [ROOT] [PORT]`, by default /data and 8080.

The package is imported from where this file is, and never from the volume, whatever the working directory is.
"""

import importlib
import sys
from pathlib import Path

if __name__ == "__main__":
    folder = Path(__file__).resolve().parent
    sys.path.insert(0, str(folder.parent))
    importlib.import_module(f"{folder.name}.server").main(sys.argv[1:])
