"""Results as bytes and back: what a `.assay` file is, and who may be in it.

A file is a zip of stored entries: `result.json`, and `arrays/0.npy` and so on for the arrays that it names. Nothing in
it is run when it is opened, so a stranger's file is safe to open, and equal results give equal bytes.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from assay.errors import InputError
from assay.registry import Family

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Codec:
    """How one class is kept in a file.

    Args:
        name: what the file calls it.
        cls: the class.
        to_text: an instance as text that tells all of it; None for a dataclass that is kept field by field.
        from_text: that text to an equal instance.
    """

    name: str
    cls: type[Any]
    to_text: Callable[[Any], str] | None = None
    from_text: Callable[[str], Any] | None = None


KEPT: Family[Codec] = Family("kind of result", home="assay.flows.results")
"""What can be kept, by its name in the file. The home imports every room that defines a result."""

_codecs: dict[type[Any], Codec] = {}


def kept(name: str) -> Callable[[type[T]], type[T]]:
    """Lets instances of the decorated frozen dataclass be kept in a file, under this name.

    Its fields may hold None, bool, int, float, str, bytes, tuples, lists, dicts, numpy arrays of numbers or text, and
    other kept classes. A field whose name begins with an underscore is a cache and is not kept.
    """

    def register(cls: type[T]) -> type[T]:
        assert is_dataclass(cls), f"{cls.__name__} is not a dataclass"
        _codecs[cls] = KEPT.add(name)(Codec(name, cls))
        return cls

    return register


def codec(name: str, cls: type[T], to_text: Callable[[T], str], from_text: Callable[[str], T]) -> None:
    """Lets instances of a class be kept as text, such as a measure by its canonical spelling."""
    _codecs[cls] = KEPT.add(name)(Codec(name, cls, to_text, from_text))


FORMAT = 1
"""Version of the file format; it rises when an older assay can no longer read what a newer one writes."""

_INDEX = "result.json"
_GIVE = "give a file that was written by .save() or by `assay evaluate ... -o FILE.assay`"

DTYPES = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]|<U[1-9][0-9]{0,8}")
"""Arrays that may be kept: truth values, numbers, text; never Python objects."""


def dump(result: Any) -> bytes:
    """The result as the bytes of a `.assay` file; equal results give equal bytes."""
    import io
    import json
    import zipfile

    arrays: list[NDArray[Any]] = []
    content = {"format": "assay result", "version": FORMAT, "result": _encode(result, arrays)}
    text = json.dumps(content, allow_nan=False, sort_keys=True, separators=(",", ":"))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:  # stored: compressors differ between machines
        entries = [(_INDEX, text.encode("ascii")), *((_array_name(i), _npy(a)) for i, a in enumerate(arrays))]
        for name, data in entries:
            info = zipfile.ZipInfo(name)  # its date is the first that zip knows: no clock in the bytes
            info.create_system = 3  # else the bytes would tell the operating system
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    return target.getvalue()


def load(data: bytes, name: str = "") -> Any:
    """The result that `dump` gave these bytes for.

    Args:
        data: the whole file.
        name: what the file is called in messages.

    Raises:
        InputError: the bytes are no result, are damaged, or were written by a newer assay.
    """
    import io
    import json
    import zipfile

    if not data.startswith(b"PK\x03\x04"):
        raise InputError("is not a kept result" if data else "is empty", name, _GIVE)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            is_packed = any(e.compress_type or e.flag_bits & 1 for e in entries)
            if is_packed or sum(e.file_size for e in entries) > len(data):  # so nothing can grow in memory
                raise _foreign(name)
            parts = {e.filename: archive.read(e) for e in entries}
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, ValueError, NotImplementedError, OSError) as error:
        raise _damaged(name, str(error)) from error
    if _INDEX not in parts:
        raise _foreign(name)
    try:
        content = json.loads(parts[_INDEX].decode("utf-8"))
        if not isinstance(content, dict) or content.get("format") != "assay result":
            raise _foreign(name)
        version = content.get("version")
        if not isinstance(version, int) or version > FORMAT:
            raise InputError(
                f"was written by a newer assay (file format {version}; this one reads up to {FORMAT})",
                name,
                "install the newer assay, or make the result again with this one",
            )
        result = _decode(content["result"], parts, name)
        if type(result) not in _codecs:
            raise TypeError(f"a {type(result).__name__} where the result should be")
        return result
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(name, f"{type(error).__name__}: {error}") from error


def _foreign(name: str) -> InputError:
    return InputError("is a zip file of another program", name, _GIVE)


def _damaged(name: str, why: str) -> InputError:
    return InputError(f"is cut short or damaged ({why})", name, "copy the file again, or make the result again")


def _array_name(number: int) -> str:
    return f"arrays/{number}.npy"


def _header(dtype: str, shape: Sequence[int]) -> bytes:
    """The head of a `.npy` file of version 1.0, written here so that its bytes do not depend on numpy's version."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("ascii")


def _npy(array: NDArray[Any]) -> bytes:
    plain = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return _header(plain.dtype.str, plain.shape) + plain.tobytes()


def _from_npy(data: bytes, dtype: Any, shape: Any) -> NDArray[Any]:
    import numpy as np

    if not isinstance(dtype, str) or not DTYPES.fullmatch(dtype) or not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError(f"an array of {dtype} with shape {shape}")
    head = _header(dtype, shape)
    kind = np.dtype(dtype)
    # The size is compared before numpy makes room for a shape that somebody only claims.
    if not data.startswith(head) or len(data) - len(head) != kind.itemsize * math.prod(shape):
        raise ValueError("an array that does not fit its header")
    if kind.kind == "U" and (np.frombuffer(data[len(head) :], "<u4") > sys.maxunicode).any():
        raise ValueError("an array of text that is none")  # numpy itself would find out at the first look
    return np.frombuffer(data[len(head) :], kind).reshape(shape).copy()


def _encode(value: Any, arrays: list[NDArray[Any]]) -> Any:
    """JSON for any value that may be kept; what JSON lacks becomes an object whose key `$` says what it is."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"$": "float", "value": repr(value)}
    if kind is tuple:
        return [_encode(x, arrays) for x in value]
    if kind is list:
        return {"$": "list", "items": [_encode(x, arrays) for x in value]}
    if kind is bytes:
        return {"$": "bytes", "value": value.hex()}
    if isinstance(value, Mapping):
        return {"$": "dict", "items": [[_encode(k, arrays), _encode(v, arrays)] for k, v in value.items()]}
    if kind.__module__ == "numpy" and hasattr(value, "dtype"):
        if kind.__name__ != "ndarray":
            return _encode(value.item(), arrays)
        dtype = value.dtype.newbyteorder("<").str
        if not DTYPES.fullmatch(dtype):
            raise TypeError(f"an array of {value.dtype} cannot be kept")
        arrays.append(value)
        return {"$": "array", "number": len(arrays) - 1, "dtype": dtype, "shape": list(value.shape)}
    if kind not in _codecs:
        KEPT.names()  # loads the family: a codec may be registered apart from its class
    how = _codecs.get(kind)
    if how is not None and how.to_text is not None:
        return {"$": how.name, "text": how.to_text(value)}
    if how is not None:
        given = {f: getattr(value, f) for f in _fields(kind)}
        _check(how, given)  # else the file could be written and never opened
        return {"$": how.name} | {f: _encode(x, arrays) for f, x in given.items()}
    raise TypeError(f"a {kind.__name__} cannot be kept: decorate its class with @kept, or give it a codec")


def _decode(value: Any, parts: Mapping[str, bytes], name: str) -> Any:
    if isinstance(value, list):
        return tuple([_decode(x, parts, name) for x in value])
    if not isinstance(value, dict):
        if isinstance(value, str) and not value.isascii():
            value.encode("utf-8")  # half of a surrogate pair, which JSON can spell, could be printed nowhere
        return value
    kind = value["$"]
    if kind == "float":
        return float(value["value"])
    if kind == "list":
        return [_decode(x, parts, name) for x in value["items"]]
    if kind == "bytes":
        return bytes.fromhex(value["value"])
    if kind == "dict":
        return {_decode(k, parts, name): _decode(v, parts, name) for k, v in value["items"]}
    if kind == "array":
        return _from_npy(parts[_array_name(value["number"])], value["dtype"], value["shape"])
    if not isinstance(kind, str) or kind not in KEPT:
        remedy = "install the newer assay or the plug-in that wrote it"
        raise InputError(f"holds a {kind!r}, which this assay does not know", name, remedy)
    how = KEPT.find(kind)
    if how.from_text is not None:
        return how.from_text(value["text"])
    given = {f: _decode(x, parts, name) for f, x in value.items() if f != "$"}
    unknown = sorted(set(given) - set(_fields(how.cls)))
    if unknown:
        raise InputError(
            f"was written by a newer assay: its {kind} says {', '.join(unknown)}", name, "install the newer assay"
        )
    _check(how, given)
    return how.cls(**given)


def _fields(cls: type[Any]) -> list[str]:
    return [f.name for f in fields(cls) if f.init and not f.name.startswith("_")]


def _check(how: Codec, given: Mapping[str, Any]) -> None:
    for f, hint in _hints(how.cls).items():  # type: ignore[arg-type] # classes are hashable
        if f in given and not _fits(given[f], hint):
            raise TypeError(f"{f} of a {how.name} is not {hint}, but {given[f]!r:.60}")


@cache
def _hints(cls: type[Any]) -> dict[str, Any]:
    import typing

    try:
        return typing.get_type_hints(cls)
    except NameError:  # a hint that only type checkers import
        return {}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is what the field is declared to hold; True where that is not simple to say."""
    import types
    import typing

    if type(value).__module__ == "numpy" and type(value).__name__ != "ndarray":
        value = value.item()
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _fits(value, args[0])
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, arg) for arg in args)
    if origin is Literal:
        return value in args
    if origin is tuple and isinstance(value, tuple):
        each = [args[0]] * len(value) if args[1:] == (...,) else args
        return len(each) == len(value) and all(map(_fits, value, each))
    if hint is Any:  # a class that refuses isinstance
        return True
    kind = type(None) if hint is None else origin or hint
    if kind is float:
        return type(value) in (int, float)
    if kind is int:
        return type(value) is int
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    return isinstance(value, kind) and (kind.__module__ != "numpy" or _is_of(value, args))


def _is_of(array: Any, args: tuple[Any, ...]) -> bool:
    """Whether an array holds what `NDArray[...]` says; the arguments are its shape and its dtype."""
    import typing

    kinds = typing.get_args(args[1]) if len(args) > 1 else ()
    return not kinds or not isinstance(kinds[0], type) or issubclass(array.dtype.type, kinds[0])
