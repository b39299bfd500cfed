"""Verdicts: whether a change is better, for whom, how sure that is, and what hangs on what nobody judged.

The room is named as the verb that users call, and Python keeps one name for both: `assay.compare(...)` calls the verb.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Verb(ModuleType):
    """A package that can be called. The verb is found by name when it is called; no import points upward."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return import_module("assay.flows.compare").compare(*args, **options)

    @property
    def __signature__(self) -> Any:
        import inspect

        return inspect.signature(import_module("assay.flows.compare").compare)


sys.modules[__name__].__class__ = _Verb
