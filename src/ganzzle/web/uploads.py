"""Reading a multipart body into memory, and only as much of it as the limits allow."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from ganzzle.web.limits import ApiError, Limits

FIELD_BYTES = 30_000  # longest text field: the truth of a large puzzle
FIELDS = 20  # most text fields


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


async def read_form(
    request: Request, limits: Limits, slow: Callable[[], AbstractContextManager[None]] = nullcontext
) -> Form:
    """Parse the body as it arrives. Too much of anything stops the parser; the rest is read and forgotten.

    An upload that takes longer is within `slow()` from then on, and has to keep to the lowest rate.
    """
    try:
        _check_length(request, limits)
        collector = _Collector(_boundary(request), limits)
    except ApiError:
        await drain(request, limits)
        raise
    error: ApiError | None = None
    with ExitStack() as within:
        async for chunk in _in_time(request, limits, lambda: within.enter_context(slow())):
            if error is None:
                try:
                    collector.feed(chunk)
                except ApiError as found:
                    error = found
                    collector.forget()
    if error is not None:
        raise error
    return collector.finish()


async def _in_time(request: Request, limits: Limits, slow: Callable[[], None]) -> AsyncIterator[bytes]:
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
    except (TimeoutError, ClientDisconnect):
        return


def _too_large(limits: Limits) -> ApiError:
    return ApiError(
        413, f"That is more than the {limits.upload_bytes / 1e6:g} MB allowed; send smaller pictures."
    )


def _check_length(request: Request, limits: Limits) -> None:
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 18:
        raise ApiError(400, "The Content-Length header is not a number.")
    if int(length) > limits.upload_bytes:
        raise _too_large(limits)


def _boundary(request: Request) -> bytes:
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data":
        raise ApiError(415, "Send the request as multipart/form-data, as a form with files does.")
    boundary = options.get(b"boundary", b"")
    if not 1 <= len(boundary) <= 200:
        raise ApiError(400, "The multipart body does not name its boundary.")
    return boundary


class _Collector:
    """Callbacks of the multipart parser; keeps parts in memory and counts them."""

    def __init__(self, boundary: bytes, limits: Limits) -> None:
        self.limits = limits
        self.form = Form()
        self.received = 0
        self.ended = False
        self.header_name = b""
        self.header_value = b""
        self.disposition = b""
        self.name = ""
        self.file_name: str | None = None
        self.part = bytearray()
        self.parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._header_field,
                "on_header_value": self._header_value,
                "on_header_end": self._header_end,
                "on_headers_finished": self._headers_finished,
                "on_part_data": self._data,
                "on_part_end": self._part_end,
                "on_end": self._end,
            },
        )

    def feed(self, chunk: bytes) -> None:
        self.received += len(chunk)
        if self.received > self.limits.upload_bytes:
            raise _too_large(self.limits)
        try:
            self.parser.write(chunk)
        except MultipartParseError:
            raise ApiError(400, "The multipart body is malformed.") from None

    def finish(self) -> Form:
        if not self.ended:
            raise ApiError(400, "The multipart body is incomplete.")
        return self.form

    def forget(self) -> None:
        self.form, self.part = Form(), bytearray()

    def _begin(self) -> None:
        self.disposition, self.part = b"", bytearray()

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self.header_name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self.header_value += data[start:end]

    def _header_end(self) -> None:
        if self.header_name.lower() == b"content-disposition":
            self.disposition = self.header_value
        self.header_name = self.header_value = b""

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self.disposition)
        if b"name" not in options:
            raise ApiError(400, "A part of the multipart body has no name.")
        self.name = options[b"name"].decode("utf-8", "replace")[:100]
        name = options.get(b"filename")
        self.file_name = None if name is None else name.decode("utf-8", "replace")[:100]
        if self.file_name is not None and len(self.form.files) >= self.limits.pieces:
            raise ApiError(413, f"Those are more than the {self.limits.pieces} pieces allowed.")
        if self.file_name is None and len(self.form.fields) >= FIELDS:
            raise ApiError(413, "The form has too many fields.")

    def _data(self, data: bytes, start: int, end: int) -> None:
        self.part += data[start:end]
        if self.file_name is None and len(self.part) > FIELD_BYTES:
            raise ApiError(413, f"The field '{self.name}' is too long.")

    def _part_end(self) -> None:
        if self.file_name is not None:
            self.form.files.append(Upload(self.name, self.file_name or "file", bytes(self.part)))
        elif self.name in self.form.fields:
            raise ApiError(422, f"The field '{self.name}' is there twice.")
        else:
            self.form.fields[self.name] = self.part.decode("utf-8", "replace")
        self.part = bytearray()

    def _end(self) -> None:
        self.ended = True
