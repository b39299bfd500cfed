"""A large run read from its copy where there is one, and from its own file where there is none or it is damaged.

The copy holds the very blocks that the file gives, so nothing that is worked out from them differs: not a value, not a
note. Lines are not kept: the place of a row is looked up in the file when a complaint asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from assay.formats.artefact import Cache, DamagedError
from assay.formats.seen import Seen
from assay.tables import Block

if TYPE_CHECKING:
    import polars as pl

    from assay.formats.blocks import RunBlocks

_ROWS = 1 << 18


class CopiedRun:
    """The blocks of a TREC run, as `RunBlocks` gives them; the first pass through the file leaves a copy.

    Args:
        run: the blocks of the file.
        cache: where copies lie.
        source: path of the file.
        seen: what its bytes are.
    """

    def __init__(self, run: RunBlocks, cache: Cache, source: str, seen: Seen) -> None:
        from assay.formats.blocks import SIZE

        self.name = run.name
        self._run, self._cache, self._source, self._seen = run, cache, source, seen
        self._key = cache.key(seen.sha256, "run", "trec", str(SIZE), f"rank={run.wants_rank}")

    def __iter__(self) -> Iterator[Block]:
        found = self._cache.get(self._key)
        if found is None:
            yield from self._copying()
            return
        self._run.comments.update({int(number): count for number, count in found.about["comments"].items()})
        for member in found.members:
            try:
                frame = found.read(member)
            except DamagedError as damage:
                self._cache.drop(found, str(damage))
                for _, block in self._run.numbered(member.number, is_first=member is found.members[0]):
                    yield block
                return
            yield Block(frame, self._place_in(member.number), self.name)

    def _place_in(self, number: int) -> Callable[[int], str]:
        return lambda row: self._run.place(number, row)

    def _copying(self) -> Iterator[Block]:
        self._run.summed()
        with self._cache.writing(self._key) as writer:
            for number, block in self._run.numbered():
                writer.add(number, block.polars())
                yield block
            is_same = self._seen.is_untouched(self._source) and self._run.crc in (None, self._seen.crc)
            if is_same:  # else these are other bytes than the key says
                writer.finish({"comments": self._run.comments})

    @property
    def facts(self) -> tuple[str, ...]:
        """What reading showed, once all blocks are read."""
        return self._run.facts

    def whole(self) -> Block:
        """All rows in one block, for a file in which the lines of some query do not stand together."""
        import polars as pl

        wanted = ["query_id", "doc_id", *(["rank"] if self._run.wants_rank else []), "score"]
        blocks = list(self)
        frames = [block.polars().select(wanted) for block in blocks]
        return Block(pl.concat(frames, rechunk=True), _place_among(blocks, frames), self.name, self.facts)


def _place_among(blocks: list[Block], frames: list[pl.DataFrame]) -> Callable[[int], str]:
    places = [block.place for block in blocks]
    heights = [frame.height for frame in frames]

    def place(row: int) -> str:
        at = 0
        while row >= heights[at]:
            row -= heights[at]
            at += 1
        return places[at](row)

    return place


def copied_table(read: Callable[[], Block], cache: Cache, source: str, seen: Seen, *choices: str) -> Block:
    """A run in a format that is read as a whole: from its copy, else by `read`, which leaves one.

    Args:
        read: reads and checks the file.
        cache: where copies lie.
        source: path of the file.
        seen: what its bytes are.
        *choices: everything else that the rows and facts depend on.
    """
    import polars as pl

    key = cache.key(seen.sha256, "table", *choices)
    found = cache.get(key)
    if found is not None:
        try:
            frame = pl.concat([found.read(member) for member in found.members], rechunk=True)
            return Block(frame, _Looked(read), found.about["name"], tuple(found.about["facts"]))
        except DamagedError as damage:
            cache.drop(found, str(damage))
    block = read()
    frame = block.polars()
    with cache.writing(key) as writer:
        for number, start in enumerate(range(0, frame.height, _ROWS)):
            writer.add(number, frame.slice(start, _ROWS))
        if seen.is_untouched(source):
            writer.finish({"name": block.name, "facts": list(block.facts)})
    return block


class _Looked:
    """The place of a row, by reading the file once more."""

    def __init__(self, read: Callable[[], Block]) -> None:
        self._read = read
        self._place: Callable[[int], str] | None = None

    def __call__(self, row: int) -> str:
        if self._place is None:
            self._place = self._read().place
        return self._place(row)
