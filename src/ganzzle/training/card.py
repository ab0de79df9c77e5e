"""The card of a weights file: what it is, from which data, by which command, with which scores."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path

from safetensors import SafetensorError, safe_open

from ganzzle.files import open_file
from ganzzle.training.export import ExportError

LICENCES = {
    "faces": "CelebA-HQ: non-commercial research only",
    "art": "WikiArt: non-commercial research only",
    "photos": "ImageNet: non-commercial research only",
}

OWN = {"drawn pages": "Drawn by this project's own code."}


def card_text(path: Path) -> str:
    """Markdown from the record that training stored in the file."""
    try:
        open_file(path).close()  # only a file is looked into: a pipe may never end
        with safe_open(path, framework="pt") as file:
            record = file.metadata() or {}
            tensors = len(file.keys())
        config, data, scores = (json.loads(record[key]) for key in ("config", "data", "scores"))
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise ExportError(f"{path} holds no record of a training ({error})") from None
    sources = "\n".join(_source(name, count) for name, count in data.items())
    rows = "\n".join(f"| {name} | {value:.2f} |" for name, value in scores.items())
    return f"""# {config["name"]}

{config["about"]}

- kind: `{record["kind"]}`, {tensors} tensors, {path.stat().st_size / 2**20:.2f} MiB, matrices as int8 or fp16
- trained {float(record["minutes"]):.1f} minutes, {record["steps"]} steps, at commit `{record["commit"] or "unknown"}`
- command: `{record["command"]}`{_before(record)}

## Data and licence
{sources}

{_licence(data)}

## Scores on held-out training pictures, per cent
| what | score |
|---|---|
{rows}
"""


def _source(name: str, count: int) -> str:
    line = f"- {name}: {count} training pictures."
    about = (LICENCES | OWN).get(name, "")
    return f"{line} {about}".rstrip()


def _licence(sets: Collection[str]) -> str:
    """What follows for the weights; of pictures we do not know only their owner can tell."""
    if all(name in OWN for name in sets):
        return (
            "No one else's picture was used: the weights are free for whatever this project's licence allows."
        )
    if not all(name in LICENCES for name in sets):
        return "The pictures are not part of this project. Their licence decides what the weights may be used for."
    return (
        "The pictures are not part of this project. The weights were made from them and are for non-commercial "
        "research as well."
    )


def _before(record: Mapping[str, str]) -> str:
    """What the weights were that the training started from."""
    if "started_from" not in record:
        return ""
    first = json.loads(record["started_from"])
    length = f"{float(first['minutes'] or 0):.1f} minutes, {first['steps']} steps"
    made = f"at commit `{first['commit'] or 'unknown'}` by `{first['command']}`"
    return f"\n- started from weights trained {length}, {made}"
