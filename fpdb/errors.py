"""The errors that fpdb raises on purpose, all under `Error`. A message says what is wrong and what to do about it."""


class Error(Exception):
    """Base of all errors that fpdb raises on purpose."""


class BadArgument(Error, TypeError, ValueError):
    """An argument of a call is of a type or a value that it cannot have, or the call has no argument of that name."""


class NoSuchDatabase(Error):
    """There is no file at the given path."""


class DatabaseExists(Error):
    """A database was to be created where a file already is."""


class NotADatabase(Error):
    """The file is not an fpdb database; it was not touched."""


class NewerFormat(NotADatabase):
    """The file was written by a newer fpdb; it was not touched."""


class Corrupt(Error):
    """The database is damaged: a checksum or an invariant does not hold."""


class Locked(Error):
    """Another process held the writer's lock for longer than the time-out."""


class ReadOnly(Error):
    """The database was opened for reading only, and cannot be changed."""


class NoSuchDocument(Error):
    """No document of that name is in the database."""


class BadName(Error):
    """The document's name is empty, too long or cannot be encoded."""


class NameTaken(Error):
    """Documents to be merged have names that exist already with another content."""


class ContentChanged(Error):
    """The content given for a document is not the one that was added under its name."""


class BadLabel(Error):
    """A document's kind, source, contact or labels are not text that can be stored."""


class BadRecipe(Error):
    """A recipe's parameters do not make sense together."""


class RecipeMismatch(Error):
    """The database was created with another recipe than the one asked for."""


class MissingKey(Error):
    """The database's key is in a file of its own, which was not given; calls that need no key still work."""


class BadKeyFile(Error):
    """A key file cannot be written or read, is not one, or belongs to another database."""


class UnknownKind(Error):
    """There is no reader of this kind of document, or the recipe does not cover it."""


class Unreadable(Error):
    """The bytes cannot be read as a document of the kind asked for."""


class MissingPackage(Error):
    """A package or a program that the call needs is not installed; the message says how to get it."""


class StorageFailure(Error):
    """The operating system refused a read or a write: disk full, bad medium, no permission."""


class SparkFailure(Error):
    """Spark could not do the work; the message says why."""


class BadQuery(Error):
    """A query's options do not make sense."""


class BadExport(Error):
    """The file is not an export of fpdb, or a line of it is damaged; the message says which."""


class BadFolder(Error):
    """The folder cannot be adopted, since something in it is missing or wrong; the message says what."""


class BadFingerprints(Error):
    """The arrays given as fingerprints have the wrong shape, type or values."""
