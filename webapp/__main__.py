"""``python -m webapp`` runs ``crokinole``."""

import sys

from webapp.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
