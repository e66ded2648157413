"""Reports are tried in a browser where there is one."""

import shutil

collect_ignore = [] if shutil.which("chromium") and shutil.which("chromedriver") else ["test_report_browser.py"]
