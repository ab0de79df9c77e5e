"""The server: the page, and the API under /api. The handlers read forms and wait; workers do everything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import FileResponse, JSONResponse, Response

from ganzzle import __version__
from ganzzle.samples import sample_names
from ganzzle.web import schema
from ganzzle.web.crowd import Crowd
from ganzzle.web.limits import TELL_APART, ApiError, Settings
from ganzzle.web.pool import Answer, Pool
from ganzzle.web.requests import Job, pile_job, shuffle_job, solve_job
from ganzzle.web.security import Guard
from ganzzle.web.uploads import Form, drain, read_form

STATIC = Path(__file__).parent / "static"
LIMITS = {"bytes": "upload_bytes", "pixels": "pixels", "pieces": "pieces"}  # that a client may want to know
GONE = 499  # the client left; nobody reads this answer


def create_app(settings: Settings | None = None) -> FastAPI:
    """The ASGI application. Its workers live as long as its lifespan."""
    settings = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.pool = Pool(settings)
        app.state.pool.start()
        try:
            yield
        finally:
            await app.state.pool.stop()

    app = FastAPI(
        title="Ganzzle",
        version=__version__,
        description="Give it a pile of pieces, get back the picture.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings
    app.add_middleware(Crowd, limits=settings.limits)
    app.add_middleware(Guard, hosts=settings.hosts)  # the last added is the first asked
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(HTTPException, _http_error)
    _add_lists(app, settings)
    _add_thumbnails(app)
    _add_work(app)
    for path, name in (("/", "index.html"), ("/docs", "docs.html")):
        app.api_route(path, methods=["GET", "HEAD"], include_in_schema=False)(_page(name))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


def _add_lists(app: FastAPI, settings: Settings) -> None:
    busy = schema.errors(503)

    @app.get(
        "/api/health",
        response_model=schema.Health,
        responses=busy,
        summary="Whether the server can take work",
    )
    async def health(request: Request) -> dict[str, Any]:
        pool: Pool = request.app.state.pool
        status = "ok" if pool.ready else "starting"
        limits = {name: getattr(settings.limits, field) for name, field in LIMITS.items()}
        return {
            "status": status,
            "version": __version__,
            "workers": pool.ready,
            "requests": pool.admitted,
            "limits": limits,
        }

    @app.get(
        "/api/solvers",
        response_model=list[schema.SolverCard],
        responses=busy,
        summary="The solvers there are",
    )
    async def solvers() -> list[dict[str, Any]]:
        fields = ("name", "summary", "publication", "weights", "licence", "scores")
        return [
            {
                **{field: getattr(info, field) for field in fields},
                "default": info.name == settings.default,
                "rotated": info.rotated,
                "mixed": info.name in TELL_APART,
            }
            for info in settings.solvers.values()
        ]

    @app.get(
        "/api/samples", response_model=list[schema.Sample], responses=busy, summary="The sample pictures"
    )
    async def sample_list() -> list[dict[str, str]]:
        return [{"name": name, "title": name.capitalize()} for name in sample_names()]


def _add_thumbnails(app: FastAPI) -> None:
    thumbnails: dict[str, bytes] = {}

    @app.get(
        "/api/samples/{name}",
        summary="A small view of a sample picture",
        response_class=Response,
        responses={
            200: {"content": {"image/png": {}}, "description": "The picture"},
            404: {"model": schema.Error, "description": "There is no such sample."},
            **schema.errors(422, 429, 503),
        },
    )
    async def thumbnail(request: Request, name: str) -> Response:
        if name not in sample_names():
            raise ApiError(404, f"There is no sample '{name[:60]}'.")
        if name not in thumbnails:
            with request.app.state.pool.admission():
                status, body = await request.app.state.pool.run(Job("sample", sample=name))
            if status != 200:
                return Response(body, status, media_type="application/json")
            thumbnails[name] = body
        return Response(thumbnails[name], media_type="image/png", headers={"Cache-Control": "max-age=3600"})


def _add_work(app: FastAPI) -> None:
    everything = schema.errors(400, 403, 408, 413, 415, 422, 429, 503)

    def work(path: str, job_of: Callable[[Form, Settings], Job], model: Any, summary: str, form: Any) -> None:
        async def handler(request: Request) -> Response:
            return await _answer(request, job_of)

        handler.__name__ = path.removeprefix("/api/")
        handler.__doc__ = job_of.__doc__
        responses = {200: {"model": model}, **everything}
        app.post(path, summary=summary, responses=responses, openapi_extra=form)(handler)

    work(
        "/api/solve",
        solve_job,
        schema.Solved | schema.SolvedMixed | schema.SolvedLaid,
        "Solve a puzzle, or several mixed ones",
        schema.form(schema.SOLVE_FORM),
    )
    shuffle = schema.form(schema.SHUFFLE_FORM, ("grid",))
    work("/api/shuffle", shuffle_job, schema.Pile, "Make a puzzle from a picture", shuffle)
    work(
        "/api/pile",
        pile_job,
        schema.Pile | schema.Pages,
        "Look at a pile of pieces",
        schema.form(schema.PILE_FORM),
    )


async def _answer(request: Request, job_of: Callable[[Form, Settings], Job]) -> Response:
    """Admit the request, read it, have it worked on; stop as soon as the client is gone."""
    pool: Pool = request.app.state.pool
    settings: Settings = request.app.state.settings
    try:
        status, body = await pool.unless_closing(_worked_on(request, job_of))
    except ClientDisconnect:
        return Response(status_code=GONE)
    except ApiError as error:
        if error.status == 429:
            await drain(request, settings.limits)
        raise
    return Response(body, status, media_type="application/json")


async def _worked_on(request: Request, job_of: Callable[[Form, Settings], Job]) -> Answer:
    pool: Pool = request.app.state.pool
    settings: Settings = request.app.state.settings
    with pool.admission():
        client = request.client.host if request.client else ""
        form = await read_form(request, settings.limits, lambda: pool.slow_upload(client))
        job = job_of(form, settings)
        del form
        return await _unless_gone(request, pool.run(job))


async def _unless_gone(request: Request, work: Any) -> Answer:
    """Wait for the answer or for the client to leave, in which case the work is cancelled."""
    answer = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnect(request))
    try:
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise ClientDisconnect
        result: Answer = answer.result()
        return result
    finally:
        answer.cancel()
        gone.cancel()


async def _disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _page(name: str) -> Callable[[], Any]:
    async def page() -> FileResponse:
        return FileResponse(STATIC / name)

    return page


async def _api_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ApiError)
    return JSONResponse({"error": error.message}, error.status, error.headers)


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    words = {404: "There is nothing at this address.", 405: "This address does not take that method."}
    return JSONResponse(
        {"error": words.get(error.status_code, str(error.detail))}, error.status_code, error.headers
    )
