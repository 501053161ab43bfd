"""``python -m webapp`` is ``crokinole``."""

import sys

from webapp.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
