"""`windlass` with the app `lamps`, added as docs/developers.md says: a folder, and its name in `APPS`."""

from pathlib import Path

import windlass.apps

windlass.apps.__path__.append(str(Path(__file__).parent))
windlass.apps.APPS += ("lamps",)

if __name__ == "__main__":
    from windlass.cli.main import main

    main()
