"""The commands of the guide for a team on PostgreSQL, on a real server."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import console  # noqa: E402 # stands in docs/

GUIDE = ROOT / "docs/how-to/serve-a-team.md"
PROJECT = ROOT / "docs/how-to/run-a-labelling-project.md"


@pytest.mark.postgres
@pytest.mark.parametrize("url", ["postgres"], indirect=True)
def test_the_guides_run_on_postgresql(url: str, tmp_path: Path) -> None:
    blocks = list(console.blocks(GUIDE))
    (told,) = [block for block in blocks if "ASSAY_STORE_URL" in block.text]
    install, export, upgrade = (command for command, _ in console.commands(told.text))
    assert install == "pip install 'assay[web,postgres]'"
    assert re.fullmatch(r"export ASSAY_STORE_URL='postgresql://\S+'", export)
    folder = console.example_folder(tmp_path / "example", (("assay.toml", ""),))
    set_url = f"export ASSAY_STORE_URL={shlex.quote(url)}; "

    def typed(command: str) -> str:
        code, said = console.run(set_url + command, folder)
        assert code == 0, f"$ {command}\n{said}"
        return said

    assert "postgresql" in typed(upgrade)
    (first,) = [block for block in console.blocks(PROJECT) if "label create" in block.text and block.is_run]
    for command, _ in console.commands(first.text):
        typed(command)
    assert "winter: 0 of " in typed("assay label status winter")
    copies = next(block for block in blocks if "db backup" in block.text)
    for command, _ in console.commands(copies.text):
        typed(command)
    assert (folder / "copy.db").stat().st_size > 0
    assert "well" in typed("assay db check")
    assert not (folder / ".assay" / "store.db").exists()  # nothing went to SQLite
