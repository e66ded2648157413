"""Archives, read as folders: zip, tar, and single files that were compressed; nothing is unpacked to disk.

Members come one after the other as streams, under limits that are measured while reading, since what an archive says
of itself may be a lie. Names of members are labels and never paths that are opened. Knows nothing of documents.
"""
