r"""Text of JSON that no encoding can hold: half of a surrogate pair, which `\ud800` spells."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.formats.nested import Node


def find_half(root: Node) -> Node | None:
    """The first text, or key, that no encoding can hold."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_dict:
            inner = [node.child(key, value) for key, value in node.value.items()]
            broken = next((child for child in inner if not _is_encodable(str(child.stand[1]))), None)
            if broken is not None:
                return broken
            waiting += reversed(inner)
        elif node.is_list:
            waiting += reversed(list(node.each()))
        elif node.is_text and not _is_encodable(node.value):
            return node
    return None


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
