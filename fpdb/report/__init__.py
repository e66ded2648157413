"""Reports: answers and pairs with their evidence on one page that a browser shows without a network.

`gathering` asks for what belongs on the page, `page` lays it out, page.html, page.css and page.js are it.
"""

from fpdb.report.gathering import Report

__all__ = ["Report"]
