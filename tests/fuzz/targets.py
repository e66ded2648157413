"""Targets of the fuzzer: everything that reads foreign bytes, each with seeds."""

from tests.fuzz import document_targets, input_targets, storage_targets

TARGETS = {**storage_targets.TARGETS, **document_targets.TARGETS, **input_targets.TARGETS}
"""By name."""

KERNELS = (
    "posting blocks",
    "position blocks",
    "format record",
    "pages",
    "text",
    "strings",
    "html",
    "ipynb",
    "docx, word/document.xml",
)
"""Those that run kernels of ours on the input."""
