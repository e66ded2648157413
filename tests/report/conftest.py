"""Reports are tried in a browser where there is one."""

import shutil

IN_BROWSER = ["test_report_browser.py", "test_accessibility.py"]
collect_ignore = [] if shutil.which("chromium") and shutil.which("chromedriver") else IN_BROWSER
