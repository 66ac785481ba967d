"""Runs the file browser: `python3 -I PATH-OF-THIS-FILE [ROOT] [PORT]`, by default /data and 8080.

The package, and the module about tokens beside it, are imported from where this file is, and never from the volume,
whatever the working directory is.
"""

import importlib
import sys
from pathlib import Path

if __name__ == "__main__":
    folder = Path(__file__).resolve().parent
    sys.path[:0] = [str(folder.parent), str(folder / "lib")]
    importlib.import_module(f"{folder.name}.server").main(sys.argv[1:])
