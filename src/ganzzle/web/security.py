"""The headers on every answer, and who may ask: plain ASGI, so that a client's leaving reaches the handlers."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def _name_of(address: str) -> str:
    """The host in "host:port", in small letters."""
    host, _, port = address.rpartition(":")
    return (host if port.isdecimal() and host else address).lower()


class Guard:
    """Adds the headers; refuses requests for another host's name and requests of another site's page.

    The first is how a page whose name suddenly leads to this machine would ask (DNS rebinding), the second how any page
    would; browsers say so by Host, Origin and Sec-Fetch-Site, which scripts in a page cannot change.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault(
                    "Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache"
                )
            await send(message)

        refusal = self._refusal(Headers(scope=scope), scope["method"])
        if refusal:
            await JSONResponse({"error": refusal}, 403)(scope, receive, send_guarded)
        else:
            await self.app(scope, receive, send_guarded)

    def _refusal(self, headers: Headers, method: str) -> str:
        """Why this request is not answered. Both are ways for a foreign page to use a server meant for its owner."""
        host = headers.get("host", "")
        if self.hosts is not None and _name_of(host) not in self.hosts:
            return "This server only answers under the address it was started with."
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != host.lower():
            return "This server does not answer pages of other sites."
        follows_link = headers.get("sec-fetch-mode") == "navigate" and method in ("GET", "HEAD")
        if headers.get("sec-fetch-site") == "cross-site" and not follows_link:
            return "This server does not answer pages of other sites."
        return ""
