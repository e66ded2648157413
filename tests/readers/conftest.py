"""Skip tests that need a missing program; `tools/test` installs it where it may, and says so if not."""

import shutil

collect_ignore = [] if shutil.which("gs") else ["test_ghostscript.py"]
