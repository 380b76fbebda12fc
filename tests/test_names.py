"""Names of the source: one name, one thing."""

from pathlib import Path

import trueness

SOURCE = Path(trueness.__file__).parent
