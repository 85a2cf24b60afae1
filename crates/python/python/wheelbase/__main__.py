"""`python -m wheelbase sweep ...`"""

import sys

from ._command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
