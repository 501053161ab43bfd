"""The top floor: brings vision and scorer to people, on the command line and in the browser."""

import os

# Matrices are small here: sharing one between threads takes longer than the work itself, three
# times on an idle machine and ten times on a busy one. NumPy's BLAS reads this once, when it is
# loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
