"""Runs the viewer of scalars: `python3 -I PATH-OF-THIS-FILE --logdir=FOLDER [--port=6006]`.

The package, and the reader of event files beside it, are imported from where this file is, and never from the volume.
"""

import importlib
import sys
from pathlib import Path

if __name__ == "__main__":
    folder = Path(__file__).resolve().parent
    sys.path[:0] = [str(folder.parent), str(folder / "lib")]
    importlib.import_module(f"{folder.name}.server").main(sys.argv[1:])
