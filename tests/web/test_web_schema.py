"""Schemathesis: requests made from the OpenAPI description, good and bad, and every answer as described."""

from __future__ import annotations

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import load_all_checks, positive_data_acceptance
from web_helpers import PATIENCE, Server

load_all_checks()
# What is wrong and too large may hear of the one or the other.
REFUSED = {"negative_data_rejection": {"expected-statuses": [400, 413, 415, 422]}}
CALM = settings(
    max_examples=10, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def test_every_answer_is_as_described(server: Server) -> None:
    config = schemathesis.Config.from_dict({"checks": REFUSED})
    schema = schemathesis.openapi.from_url(f"{server.address}/openapi.json", config=config)
    tried = []
    for found in schema.get_all_operations():
        operation = found.ok()
        for mode in schemathesis.GenerationMode:
            if mode.is_negative and not operation.body:
                continue  # a request without a body cannot be wrong

            def check(case: schemathesis.Case) -> None:
                # Bytes made at random are a file by the description, but rightly no picture.
                case.call_and_validate(excluded_checks=[positive_data_acceptance], timeout=PATIENCE)

            CALM(given(case=operation.as_strategy(generation_mode=mode))(check))()
        tried.append(operation.label)
    assert "POST /api/solve" in tried
    assert len(tried) >= 7
