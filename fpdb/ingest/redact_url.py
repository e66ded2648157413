"""Redact the source of a document where that is a URL: keep where it is, and not who may fetch it.

User names, passwords and tokens in a URL belong to whoever fetched the document; a database, its listings and reports
go to others. Knows nothing of databases.
"""

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

_SUFFIXES = re.compile(r"(?:token|secret|password|passwd|apikey|accesskey|signature|sessionid|sessid|credential)s?\Z")
"""Of a name that runs its words together."""

_SIGNED = re.compile(r"x-(?:amz|goog|oss|cos|bce)-", re.IGNORECASE)
"""Prefixes of the parameters of a signed URL."""


def redact_url(source: str) -> str:
    """Return a source without credentials; what is no URL stays.

    Of a URL, the user information is dropped, and the parameters of query, path or fragment that carry credentials by
    their names. Other parameters stay, since they may say which page it is.
    """
    before = ""
    while before != source:  # where there is no host, browsers look for one behind the next slash
        before, source = source, _redact_once(source)
    return source


def _redact_once(source: str) -> str:
    url = _URL.fullmatch(source)
    if url is None:
        return source
    host = url["host"].rpartition("@")[2]
    parts = re.findall(r"[/\\]?[^/\\]*", url["path"])
    path = "".join(part[:1] + _redact_parameters(part[1:], keep_first=True) for part in parts)
    query, fragment = url["query"] or "", url["fragment"] or ""
    return url["scheme"] + host + path + _redact_part(query) + (_redact_part(fragment) if "=" in fragment else fragment)


def _redact_part(part: str) -> str:
    """Redact a part that begins with ? or #, or is empty; without other parameters, nothing of it stays."""
    parameters = _redact_parameters(part[1:])
    return part[:1] + parameters if parameters or part == part[:1] else ""


def _redact_parameters(text: str, *, keep_first: bool = False) -> str:
    """Drop the credentials among parameters. keep_first: what stands first is no parameter."""
    first, *others = re.split("([&;?])", text)
    parameters = [("", first), *zip(others[::2], others[1::2], strict=True)]
    kept = [
        (separator, parameter)
        for index, (separator, parameter) in enumerate(parameters)
        if (keep_first and index == 0) or not _is_credential(parameter.partition("=")[0])
    ]
    return "".join(
        parameter if index == 0 else separator + parameter for index, (separator, parameter) in enumerate(kept)
    )


def _is_credential(name: str) -> bool:
    from urllib.parse import unquote_plus

    decoded = unquote_plus(unquote_plus(name)).strip()
    words = [word.lower() for word in _WORD.findall(decoded)]
    return (
        _SIGNED.match(decoded) is not None
        or not CREDENTIALS.isdisjoint(words)
        or _SUFFIXES.search("".join(words)) is not None
    )
