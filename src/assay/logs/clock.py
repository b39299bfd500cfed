"""The moment of what a clock shows, in DuckDB, which takes the second where a clock shows one hour twice."""

from __future__ import annotations

from assay.logs.mapping import literal
from assay.logs.zones import MICROSECONDS, put_back


def micros_there(clock: str, zone: str) -> str:
    """Microseconds since 1970 of what a clock shows in a zone; the first time where it shows that twice, as in Spark.

    Args:
        clock: an expression that gives a TIMESTAMP.
        zone: the name of the zone.
    """
    at = f"epoch_us(timezone({literal(zone)}, {clock}))"
    cases = " ".join(
        f"WHEN timezone({literal(zone)}, make_timestamptz({at} - {back * MICROSECONDS})) = {clock} "
        f"THEN {at} - {back * MICROSECONDS}"
        for back in put_back(zone)
    )
    return f"CASE {cases} ELSE {at} END" if cases else at
