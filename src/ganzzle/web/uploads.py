"""Reading a multipart form into memory, and only as much of it as the limits allow."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field

from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from ganzzle.web.limits import ApiError, Limits

FIELD_BYTES = 30_000  # longest text field: the truth of a large puzzle
FIELDS = 20  # most text fields
LONGEST_NAME = 100  # letters of a field's or a file's name that are kept


@dataclass
class Upload:
    """One file of a form."""

    field: str
    name: str
    data: bytes


@dataclass
class Form:
    """The text fields and the files of a request."""

    fields: dict[str, str] = field(default_factory=dict)
    files: list[Upload] = field(default_factory=list)

    def files_of(self, name: str) -> list[Upload]:
        """The files sent under this name, in their order."""
        return [file for file in self.files if file.field == name]


class _InMemory(MultiPartParser):
    """The form parser of Starlette, which puts nothing on disk."""

    spool_max_size = 0  # of a spooled file: never


async def read_form(
    request: Request, limits: Limits, slow: Callable[[], AbstractContextManager[None]] = nullcontext
) -> Form:
    """Parse the body as it arrives. Too much of anything stops the parser; the rest is read and forgotten.

    An upload that takes longer is within `slow()` from then on, and has to keep to the lowest rate.
    """
    within = ExitStack()
    body = _Body(_in_time(request, limits, lambda: within.enter_context(slow())), limits)
    try:
        _check_head(request, limits)
        with within:
            parser = _InMemory(
                request.headers, body.chunks(), max_files=limits.pieces, max_fields=FIELDS,
                max_part_size=limits.upload_bytes,
            )  # fmt: skip
            form = await _sorted(await parser.parse())
    except MultiPartException as error:
        await body.drain(request)
        raise _refusal(error.message, limits) from None
    except ApiError as error:
        if error.status not in (408, 429):  # who is slow is not waited for
            await body.drain(request)
        raise
    body.check_end()
    return form


async def _sorted(data: FormData) -> Form:
    """The texts and the files of what was parsed."""
    form = Form()
    for given, value in data.multi_items():
        name = given[:LONGEST_NAME]
        if isinstance(value, UploadFile):
            form.files.append(Upload(name, (value.filename or "file")[:LONGEST_NAME], await value.read()))
        elif len(value) > FIELD_BYTES:
            raise ApiError(413, f"The field '{name}' is too long.")
        elif name in form.fields:
            raise ApiError(422, f"The field '{name}' is there twice.")
        else:
            form.fields[name] = value
    await data.close()
    return form


def _refusal(message: str, limits: Limits) -> ApiError:
    """What Starlette says of a form, in our words."""
    if message.startswith("Too many files"):
        return ApiError(413, f"Those are more than the {limits.pieces} pieces allowed.")
    if message.startswith("Too many fields"):
        return ApiError(413, "The form has too many fields.")
    if "Content-Disposition" in message:
        return ApiError(400, "A part of the multipart body has no name.")
    if "boundary" in message:
        return ApiError(400, "The multipart body does not name its boundary.")
    return ApiError(400, "The multipart body is malformed.")


class _Body:
    """The chunks of a body, and how it ends."""

    def __init__(self, chunks: AsyncGenerator[bytes, None], limits: Limits) -> None:
        self.source, self.limits = chunks, limits
        self.end = b""

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Hand them on, as long as they are not too many."""
        received = 0
        async for chunk in self.source:
            received += len(chunk)
            if received > self.limits.upload_bytes:
                raise _too_large(self.limits)
            self.end = (self.end + chunk)[-10:]
            yield chunk

    async def drain(self, request: Request) -> None:
        """Read what is left, and forget it."""
        await self.source.aclose()
        await drain(request, self.limits)

    def check_end(self) -> None:
        """Refuse a form that was cut short: a whole one ends with two hyphens behind its last boundary."""
        if not self.end.rstrip().endswith(b"--"):
            raise ApiError(400, "The multipart body is incomplete.")


async def _in_time(request: Request, limits: Limits, slow: Callable[[], None]) -> AsyncGenerator[bytes, None]:
    """The chunks of the body, as long as they come fast enough; `slow` is called once they take their time."""
    start, received, chunks = time.monotonic(), 0, request.stream()
    next_chunk: asyncio.Task[bytes] | None = None
    is_slow = False
    try:
        while True:
            next_chunk = next_chunk or asyncio.ensure_future(anext(chunks, b""))
            taken = time.monotonic() - start
            allowed = limits.upload_seconds
            if is_slow:
                allowed = min(allowed, 2 * limits.slow_seconds + received / limits.rate)
            else:
                allowed = min(allowed, limits.slow_seconds)
            await asyncio.wait({next_chunk}, timeout=max(0.0, allowed - taken))
            if next_chunk.done():
                chunk, next_chunk = next_chunk.result(), None
                if not chunk:
                    return
                received += len(chunk)
                yield chunk
            elif not is_slow and allowed < limits.upload_seconds:
                is_slow = True
                slow()
            else:
                raise ApiError(
                    408,
                    f"The upload was too slow, or took longer than {limits.upload_seconds:g} s; "
                    f"send fewer or smaller pictures.",
                )
    finally:
        if next_chunk is not None:
            next_chunk.cancel()


async def drain(request: Request, limits: Limits) -> None:
    """Read the body and forget it, so that the client hears the answer instead of a broken connection."""
    left = 4 * limits.upload_bytes
    try:
        async with asyncio.timeout(min(10.0, limits.upload_seconds)):
            async for chunk in request.stream():
                left -= len(chunk)
                if left < 0:
                    return
    except (TimeoutError, ClientDisconnect, RuntimeError):  # the last: all of it was read before
        return


def _too_large(limits: Limits) -> ApiError:
    return ApiError(
        413, f"That is more than the {limits.upload_bytes / 1e6:g} MB allowed; send smaller pictures."
    )


def _check_head(request: Request, limits: Limits) -> None:
    """Refuse what cannot be a form by its headers."""
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 18:
        raise ApiError(400, "The Content-Length header is not a number.")
    if int(length) > limits.upload_bytes:
        raise _too_large(limits)
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise ApiError(415, "Send the request as multipart/form-data, as a form with files does.")
