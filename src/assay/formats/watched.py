"""The blocks of a large run, and how far its reading has come."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.files import is_stream, spelled
from assay.results import Progress
from assay.tables import Block

if TYPE_CHECKING:
    from assay.formats.blocks import RunBlocks
    from assay.formats.copies import CopiedRun
    from assay.formats.typed import TypedRun


@dataclass
class Watched:
    """The blocks of a large run, reported as they are read.

    Args:
        blocks: of the run.
        source: its path.
        progress: is told.
    """

    blocks: RunBlocks | CopiedRun | TypedRun
    source: str
    progress: Progress

    @property
    def name(self) -> str:
        """What the run is called in messages."""
        return self.blocks.name

    @property
    def facts(self) -> tuple[str, ...]:
        """What reading showed, once all blocks are read."""
        return self.blocks.facts

    def __iter__(self) -> Iterator[Block]:
        from assay.formats.blocks import SIZE
        from assay.formats.typed import TypedRun

        is_typed = isinstance(self.blocks, TypedRun)
        is_known = not is_typed and not is_stream(self.source) and not is_packed(self.source)
        size = float(os.path.getsize(self.source)) if is_known else None
        self.progress.start(f"reading {spelled(Path(self.source).name)}", size, "rows" if is_typed else "bytes")
        try:
            for block in self.blocks:
                yield block
                self.progress.advance(len(block) if is_typed else SIZE)
        finally:
            self.progress.stop()

    def whole(self) -> Block:
        """All rows in one block."""
        return self.blocks.whole()


def is_packed(source: str) -> bool:
    """Whether a file begins as gzip or Zstandard does."""
    with open(source, "rb") as file:
        return file.read(4)[:2] in (b"\x1f\x8b", b"\x28\xb5")
