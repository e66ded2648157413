"""Archives, read as folders: zip, tar, and single files that were compressed; nothing is unpacked to disk.

Members come one after the other as streams, under limits that are measured while reading, since what an archive says
of itself may be a lie. Names of members are labels and never paths that are opened. Knows nothing of documents.
"""

from fpdb.ingest.archives.limits import LIMITS, MAX_DOCUMENT_BYTES, Exhausted, Limits, Meter, Refused
from fpdb.ingest.archives.member_lookup import MARK, MemberCache, find_member, hold, split_source
from fpdb.ingest.archives.members import Member
from fpdb.ingest.archives.opening import HEAD, Archive, archive_form, content_of, open_archive
from fpdb.ingest.archives.streams import COMPRESSIONS, Unpacked, buffered

__all__ = [
    "COMPRESSIONS",
    "HEAD",
    "LIMITS",
    "MARK",
    "MAX_DOCUMENT_BYTES",
    "Archive",
    "Exhausted",
    "Limits",
    "Member",
    "MemberCache",
    "Meter",
    "Refused",
    "Unpacked",
    "archive_form",
    "buffered",
    "content_of",
    "find_member",
    "hold",
    "open_archive",
    "split_source",
]
