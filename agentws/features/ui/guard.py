"""Lets only the person's browser in: link, cookie, host, origin, form token. Everybody else gets the same answer.

Pure functions decide; `Guard` is the ASGI middleware that asks them. docs/guides/page.md says what this protects from.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hmac import compare_digest
from urllib.parse import parse_qsl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TOKEN_BYTES = 32
_LINK_S = 300.0
_MOST_FORM_BYTES, _MOST_FIELDS = 1 << 16, 200
_MOST_SESSIONS = 8
_USUAL_PORT = 80
_READS, _WRITES = ("GET", "HEAD"), "POST"
KEY, FORM_TOKEN = "key", "token"
"""The parameter of the first link, and the field of a form that proves that a page of ours sent it."""
HEADERS = (
    # `no-referrer` would make browsers send `Origin: null` with our own forms.
    (b"referrer-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
)
"""The headers of every answer."""
_ENTERED = (
    '<!doctype html><title>agentws</title><link rel="icon" href="data:,">'
    '<meta http-equiv="refresh" content="0; url=./">\n'
)
"""The answer to a link. A redirect would count as coming from where the link was, without the strict cookie."""
STRANGER = "Open this page with the link that the terminal shows.\n"
"""The answer to everybody without a session: it names neither agent nor workspace."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer of the guard: the status of HTTP, and a sentence."""

    status: int
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that came with a link: `cookie` is its secret, `form_token` that of its forms."""

    cookie: str
    form_token: str


class Door:
    """The links that were printed and the browsers that came with one.

    `prefix` is a secret first part of every path: cookies are sent to every port of a host, but not to other paths.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.prefix = secrets.token_urlsafe(12)
        self._clock = clock
        self.used: Callable[[], None] = lambda: None
        """Called when a link was used."""
        self._links: dict[str, float] = {}
        self._sessions: list[Session] = []

    def link(self) -> str:
        """Return the path of a new link, which one browser can use within five minutes; earlier links end."""
        key = secrets.token_urlsafe(_TOKEN_BYTES)
        self._links = {key: self._clock() + _LINK_S}
        return f"/{self.prefix}/?{KEY}={key}"

    def enter(self, key: str) -> Session | None:
        """Return the session of a browser that comes with the key of a link; None if it was used or is too old."""
        until = next((until for known, until in self._links.items() if _is_same(known, key)), None)
        if until is None or self._clock() > until:
            return None
        self._links = {}
        self.used()
        session = Session(secrets.token_urlsafe(_TOKEN_BYTES), secrets.token_urlsafe(_TOKEN_BYTES))
        self._sessions = [*self._sessions, session][-_MOST_SESSIONS:]
        return session

    def session(self, cookies: Sequence[str]) -> Session | None:
        """Return the session that has one of these cookies, or None."""
        return next(
            (session for session in self._sessions if any(_is_same(session.cookie, cookie) for cookie in cookies)), None
        )


def _is_same(known: str, given: str) -> bool:
    return compare_digest(known.encode(), given.encode("utf-8", "replace"))


def hosts(host: str, port: int) -> frozenset[str]:
    """Return the values of `Host` that name this server: others come from a name that leads here (DNS rebinding)."""
    names = [f"[{host}]" if ":" in host else host]
    if is_loopback(host):
        names.append("localhost")
    # Browsers leave out the usual port.
    return frozenset(f"{name}:{port}" for name in names) | frozenset(names if port == _USUAL_PORT else ())


def is_loopback(host: str) -> bool:
    """Return whether an address is of this machine only."""
    from ipaddress import ip_address

    return ip_address(host).is_loopback


def refused_form(
    headers: Mapping[str, str], form: Mapping[str, str], session: Session, *, is_read_only: bool
) -> Refusal | None:
    """Return why a change is refused: it must come from a form of ours in the same browser. None if it may be made."""
    if is_read_only:
        return Refusal(403, "This page is read-only. Nothing was changed.\n")
    is_ours = headers.get("origin", "") == f"http://{headers.get('host', '')}"
    if not is_ours or headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return Refusal(403, "The form came from another page. Nothing was changed.\n")
    if not _is_same(session.form_token, form.get(FORM_TOKEN, "")):
        return Refusal(403, "The form is from another session. Reload the page. Nothing was changed.\n")
    return None


def fields(body: bytes) -> dict[str, str]:
    """Return the fields of a form; ValueError if it has too many."""
    pairs = parse_qsl(
        body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="replace"
    )
    return dict(pairs)


class Guard:
    """The ASGI middleware around the application: asks `door` for the session, checks forms, adds HEADERS."""

    def __init__(
        self, application: ASGIApp, *, door: Door, hosts: Collection[str], cookie: str, is_read_only: bool = False
    ) -> None:
        self._application = application
        self._door = door
        self._hosts = hosts
        self._cookie = cookie
        self._is_read_only = is_read_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what the person's browser sends, with `state` of the scope: `session`, and `form` of a change."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a web socket is closed by the server

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            await send(message)

        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        prefix = f"/{self._door.prefix}"
        if headers.get("host", "") not in self._hosts or not scope["path"].startswith(f"{prefix}/"):
            await _answer(guarded, Refusal(403, STRANGER))
            return
        key = dict(parse_qsl(scope["query_string"].decode("latin-1"))).get(KEY)
        if key is not None and scope["method"] == "GET" and scope["path"] == f"{prefix}/":
            await self._enter(guarded, key)
            return
        session = self._door.session(_values(headers.get("cookie", ""), self._cookie))
        if session is None:
            await _answer(guarded, Refusal(403, STRANGER))
            return
        scope["root_path"] = prefix
        scope["state"] = {"session": session, "form": {}}
        if scope["method"] == _WRITES:
            refusal = await self._read_form(scope, receive, headers, session)
            if refusal is not None:
                await _answer(guarded, refusal)
                return
        elif scope["method"] not in _READS:
            await _answer(guarded, Refusal(405, "Only GET, HEAD and POST.\n"))
            return
        await self._application(scope, receive, guarded)

    async def _enter(self, send: Send, key: str) -> None:
        session = self._door.enter(key)
        if session is None:
            await _answer(send, Refusal(403, STRANGER))
            return
        cookie = f"{self._cookie}={session.cookie}; HttpOnly; SameSite=Strict; Path=/{self._door.prefix}/"
        await _answer(send, Refusal(200, _ENTERED), (b"set-cookie", cookie.encode()), kind=b"text/html")

    async def _read_form(
        self, scope: Scope, receive: Receive, headers: Mapping[str, str], session: Session
    ) -> Refusal | None:
        body = await _body(receive)
        if body is None:
            return Refusal(413, f"A form may have at most {_MOST_FORM_BYTES >> 10} KiB. Nothing was changed.\n")
        try:
            form = fields(body)
        except ValueError:
            return Refusal(400, "The form has too many fields. Nothing was changed.\n")
        scope["state"]["form"] = form
        return refused_form(headers, form, session, is_read_only=self._is_read_only)


def _values(header: str, name: str) -> list[str]:
    """Return the values of a cookie. Servers at other ports may set the same one, and others that no parser reads."""
    pairs = [part.strip().partition("=") for part in header.split(";")]
    return [value for given, _, value in pairs if given == name]


async def _body(receive: Receive) -> bytes | None:
    """Return the body of a request, None if it is too long or its sender has gone."""
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part: bytes = message.get("body", b"")
        body += part
        if len(body) > _MOST_FORM_BYTES:
            return None
        if not message.get("more_body"):
            return body


async def _answer(send: Send, refusal: Refusal, *headers: tuple[bytes, bytes], kind: bytes = b"text/plain") -> None:
    body = refusal.text.encode()
    described = [
        (b"content-type", kind + b"; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        *headers,
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": described})
    await send({"type": "http.response.body", "body": body})
