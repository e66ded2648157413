"""What is kept of a document's source where that is a URL: where it is, and not who may fetch it.

User names, passwords and tokens in a URL belong to whoever fetched the document; a database, its listings and reports
go to others. Knows nothing of databases.
"""

from __future__ import annotations

import re

# A backslash counts as a slash, as in browsers.
_URL = re.compile(
    r"(?P<scheme>\s*[A-Za-z][A-Za-z0-9+.:-]*:[/\\]{2,})(?P<host>[^/\\?#]*)(?P<path>[^?#]*)"
    r"(?P<query>\?[^#]*)?(?P<fragment>\#.*)?",
    re.DOTALL,
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

CREDENTIALS = {
    "apikey", "auth", "authkey", "authorization", "bearer", "credential", "credentials", "jwt", "key", "keys", "otp",
    "pass", "passphrase", "passwd", "password", "pwd", "sas", "secret", "sess", "session", "sessionid", "sessid",
    "sid", "sig", "sign", "signature", "ticket", "token", "tokens", "xsrf",
}  # fmt: skip
"""Words in the names of parameters that carry credentials: `api_key`, `accessToken`, `X-Amz-Signature`."""

_ENDS = re.compile(r"(?:token|secret|password|passwd|apikey|accesskey|signature|sessionid|sessid|credential)s?\Z")
"""Of a name that runs its words together."""

_SIGNED = re.compile(r"x-(?:amz|goog|oss|cos|bce)-", re.IGNORECASE)
"""How parameters begin that belong to a signed URL."""


def redact_url(source: str) -> str:
    """The source; of a URL, all but the user information, and the parameters, of query, path or fragment, that carry
    credentials by their names. Other parameters stay, since they may say which page it is; what is no URL stays."""
    before = ""
    while before != source:  # where there is no host, browsers look for one behind the next slash
        before, source = source, _stripped(source)
    return source


def _stripped(source: str) -> str:
    found = _URL.fullmatch(source)
    if found is None:
        return source
    host = found["host"].rpartition("@")[2]
    path = "".join(part[:1] + _kept(part[1:], first=True) for part in re.findall(r"[/\\]?[^/\\]*", found["path"]))
    query, fragment = found["query"] or "", found["fragment"] or ""
    return found["scheme"] + host + path + _parameters(query) + (_parameters(fragment) if "=" in fragment else fragment)


def _parameters(part: str) -> str:
    """What begins with ? or #, or nothing, without the credentials; nothing of it where there is nothing else in it."""
    kept = _kept(part[1:])
    return part[:1] + kept if kept or part == part[:1] else ""


def _kept(text: str, *, first: bool = False) -> str:
    """Parameters without the credentials among them. first: what stands first is none."""
    beginning, *others = re.split("([&;?])", text)
    parts = [("", beginning), *zip(others[::2], others[1::2], strict=True)]
    kept = [
        (separator, part)
        for at, (separator, part) in enumerate(parts)
        if (first and at == 0) or not _is_credential(part.partition("=")[0])
    ]
    return "".join(part if at == 0 else separator + part for at, (separator, part) in enumerate(kept))


def _is_credential(name: str) -> bool:
    from urllib.parse import unquote_plus

    decoded = unquote_plus(unquote_plus(name)).strip()
    words = [word.lower() for word in _WORD.findall(decoded)]
    return (
        _SIGNED.match(decoded) is not None
        or not CREDENTIALS.isdisjoint(words)
        or _ENDS.search("".join(words)) is not None
    )
