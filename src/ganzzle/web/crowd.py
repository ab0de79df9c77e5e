"""How many requests are let in at a time. uvicorn's own limit would answer in plain text, which no client expects."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ganzzle.web.limits import Limits
from ganzzle.web.uploads import drain

WAIT = 10  # seconds until it is worth coming back


class Crowd:
    """Lets at most `limits.requests` requests in, of any kind; the others are told when to come back."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self.limits = limits
        self.inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self.inside >= self.limits.requests:
            await drain(Request(scope, receive), self.limits)
            await _refusal()(scope, receive, send)
        else:
            self.inside += 1
            try:
                await self.app(scope, receive, send)
            finally:
                self.inside -= 1


def _refusal() -> JSONResponse:
    message = f"Too many requests at once; please try again in {WAIT} s."
    return JSONResponse({"error": message}, 503, {"Retry-After": str(WAIT), "Connection": "close"})
