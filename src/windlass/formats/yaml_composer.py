"""Builds values from PyYAML's events. Imports PyYAML; `yaml_reader` imports this at the first text."""

import codecs
import re
from collections.abc import Iterator
from typing import Any, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from windlass.formats import yaml_scalars as scalars
from windlass.formats.yaml_reader import MAX_PATH, BadYaml, Limits, Notes

_TAG_DIRECTIVE = re.compile("(?:^|[\n\r\x85\u2028\u2029])\ufeff?%TAG")
_CHARACTERS_A_VALUE = 16
_MAX_KEY = 1 << 64
_NO_KEY: Any = object()
_MERGE: Any = object()
_loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Frame:
    """A list or mapping whose end has not been read."""

    __slots__ = (
        "anchor",
        "container",
        "height",
        "is_list",
        "key",
        "key_text",
        "merged",
        "path",
        "seen",
        "tag",
        "weight",
    )

    def __init__(self, event: Any, *, is_list: bool, tag: str, weight: int, path: str) -> None:
        self.container: Any = [] if is_list else {}
        self.is_list = is_list
        self.tag = tag
        self.anchor: str | None = event.anchor
        self.weight = weight  # of the text before
        self.path = path
        self.height = 1
        self.key: Any = _NO_KEY
        self.key_text = ""
        self.merged: dict[Any, Any] | None = None  # by `<<`
        self.seen: set[str] = set()


class _Anchored:
    """A value that aliases may repeat."""

    __slots__ = ("height", "value", "weight")

    def __init__(self, value: Any, weight: int, height: int) -> None:
        self.value, self.weight, self.height = value, weight, height


class Composer:
    """Builds the documents of one text."""

    def __init__(self, text: str | bytes, *, dates: bool, limits: Limits, notes: Notes | None) -> None:
        self._text = _decoded(text)
        self._limits = limits
        self._notes = notes
        self._resolvers = scalars.RESOLVERS if dates else scalars.RESOLVERS_WITHOUT_DATES
        self._stack: list[_Frame] = []
        self._anchors: dict[str, _Anchored | None] = {}  # None: its end has not been read
        self._root: Any = None
        self._values = 0
        self._weight = 0
        self._copied = 0

    def documents(self) -> Iterator[Any]:
        """Yield the value of each document. Raises BadYaml."""
        self._check_text()
        try:
            parser = _loader(self._text)
        except (yaml.YAMLError, UnicodeEncodeError) as error:
            raise self._bad(error) from error
        try:
            yield from self._composed(parser)
        except yaml.YAMLError as error:
            raise self._bad(error) from error
        finally:
            parser.dispose()

    def _bad(self, error: Exception) -> BadYaml:
        mark = getattr(error, "problem_mark", None)
        line = min(mark.line + 1, len(self._text.splitlines())) if mark is not None else 0
        return BadYaml(str(error), str(getattr(error, "problem", None) or error), line)

    def _check_text(self) -> None:
        limits = self._limits
        if len(self._text) > limits.characters:
            raise BadYaml(f"the text has more than {limits.characters} characters")
        if self._text.count("%TAG") > limits.tag_directives < len(_TAG_DIRECTIVE.findall(self._text)):
            raise BadYaml(f"the text has more than {limits.tag_directives} %TAG directives")

    def _composed(self, parser: Any) -> Iterator[Any]:
        next_event = parser.get_event
        while (kind := (event := next_event()).__class__) is not StreamEndEvent:
            if kind is ScalarEvent:
                self._scalar(event)
            elif kind is MappingStartEvent:
                self._open(event, is_list=False)
            elif kind is SequenceStartEvent:
                self._open(event, is_list=True)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._close(event)
            elif kind is AliasEvent:
                self._alias(event)
            elif kind is DocumentStartEvent:
                self._anchors, self._root = {}, None
            elif kind is DocumentEndEvent:
                yield self._root

    # --- events

    def _scalar(self, event: Any) -> None:
        text: str = event.value
        weight = 1 + len(text) // _CHARACTERS_A_VALUE
        self._count(event, weight)
        tag = event.tag
        if tag is None or tag == "!":
            tag = scalars.resolve(text, self._resolvers) if event.implicit[0] else scalars.STR
        if tag == scalars.STR:
            value: Any = text
        elif tag == scalars.MERGE and self._awaits_key():
            value = _MERGE
        else:
            try:
                value = scalars.construct(tag, text, self._limits)
            except BadYaml as error:
                _refuse(str(error), event)
        if event.anchor is not None:
            self._declare(event)
            self._anchors[event.anchor] = _Anchored(value, weight, 0)
        self._place(value, event, text)

    def _open(self, event: Any, *, is_list: bool) -> None:
        self._count(event, 1)
        stack = self._stack
        if len(stack) >= self._limits.depth:
            self._refuse_depth(event)
        if self._awaits_key():
            _refuse("found unhashable key: a list or mapping is no key", event)
        tag = event.tag
        if tag is None or tag == "!":
            tag = scalars.SEQ if is_list else scalars.MAP
        elif tag not in ((scalars.SEQ, *scalars.PAIRS) if is_list else (scalars.MAP, scalars.SET)):
            _refuse(f"could not determine a constructor for the tag {tag[:100]!r}", event)
        if event.anchor is not None:
            self._declare(event)
        path = self._note_value(event) if self._notes is not None else ""
        stack.append(_Frame(event, is_list=is_list, tag=tag, weight=self._weight - 1, path=path))

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        value: Any = frame.container
        if frame.merged is not None:
            value = {**frame.merged, **value}
        if frame.tag == scalars.SET:
            value = set(value)
        elif frame.tag in scalars.PAIRS:
            value = _pairs(value, event)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = _Anchored(value, self._weight - frame.weight, frame.height)
        self._grow(frame.height - frame.is_list if self._merges() else frame.height + 1)
        self._place(value, event)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            _refuse(f"found undefined alias {event.anchor[:100]!r}", event)
        anchored = self._anchors[event.anchor]
        if anchored is None:
            _refuse("document contains excessive aliasing: a value contains itself", event)
        self._count(event, anchored.weight)
        self._copied += anchored.weight
        if self._copied > self._limits.copied:
            _refuse("document contains excessive aliasing", event)
        if len(self._stack) + anchored.height - self._merges() > self._limits.depth:
            self._refuse_depth(event)
        self._grow(anchored.height if self._merges() else anchored.height + 1)
        self._place(anchored.value, event)

    # --- values

    def _place(self, value: Any, event: Any, text: str | None = None) -> None:
        """Put a value where the enclosing list or mapping has it. `text`: of a scalar."""
        if not self._stack:
            self._root = value
            return
        frame = self._stack[-1]
        if frame.is_list:
            if text is not None and self._notes is not None:
                self._note_value(event)
            frame.container.append(value)
        elif frame.key is _NO_KEY:
            _check_key(value, event)
            frame.key = value
            if self._notes is not None:
                self._note_key(frame, event, str(value) if text is None else text)
        else:
            key, frame.key = frame.key, _NO_KEY
            if key is _MERGE:
                _merge(frame, value, event)
            else:
                frame.container[key] = value

    def _merges(self) -> bool:
        """Whether the next value is that of `<<`, whose pairs are on the level of the key."""
        return bool(self._stack) and self._stack[-1].key is _MERGE

    def _grow(self, height: int) -> None:
        if self._stack:
            self._stack[-1].height = max(self._stack[-1].height, height)

    def _awaits_key(self) -> bool:
        return bool(self._stack) and not self._stack[-1].is_list and self._stack[-1].key is _NO_KEY

    def _declare(self, event: Any) -> None:
        if event.anchor in self._anchors:
            _refuse(f"found duplicate anchor {event.anchor[:100]!r}", event)
        self._anchors[event.anchor] = None

    def _count(self, event: Any, weight: int) -> None:
        self._values += 1
        self._weight += weight
        if self._values > self._limits.values:
            _refuse(f"more than {self._limits.values} values", event)

    def _refuse_depth(self, event: Any) -> NoReturn:
        _refuse(f"nested deeper than {self._limits.depth} levels", event)

    # --- notes

    def _note_value(self, event: Any) -> str:
        """Note the line of a value, unless its key has been noted, and return its path."""
        assert self._notes is not None
        if not self._notes.has_lines:
            return ""
        if not self._stack:
            self._notes.lines[""] = event.start_mark.line + 1
            return ""
        frame = self._stack[-1]
        if not frame.is_list:
            return _field(frame)
        path = f"{frame.path}[{len(frame.container)}]"[:MAX_PATH]
        self._notes.lines[path] = event.start_mark.line + 1
        return path

    def _note_key(self, frame: _Frame, event: Any, text: str) -> None:
        assert self._notes is not None
        line = event.start_mark.line + 1
        if text in frame.seen and text != "<<":
            self._notes.repeated.append((line, text))
        frame.seen.add(text)
        if self._notes.has_lines:
            frame.key_text = text[:MAX_PATH]
            self._notes.lines[_field(frame)] = line


def _field(frame: _Frame) -> str:
    return f"{frame.path}.{frame.key_text}"[:MAX_PATH] if frame.path else frame.key_text


def _check_key(key: Any, event: Any) -> None:
    """Refuse keys that are no scalars, and integers that no JSON has: many of them have the same hash."""
    if key.__class__ in (list, dict, set):
        _refuse("found unhashable key: a list or mapping is no key", event)
    if key.__class__ is int and not -_MAX_KEY < key < _MAX_KEY:
        _refuse("found a key that is a number of more than 64 bits", event)


def _merge(frame: _Frame, value: Any, event: Any) -> None:
    """Merge the value of `<<`: own keys win over merged ones, and earlier mappings of a list over later ones."""
    mappings: list[Any] = value[::-1] if value.__class__ is list else [value]
    merged = frame.merged if frame.merged is not None else {}
    for mapping in mappings:
        if mapping.__class__ is not dict:
            _refuse("while constructing a mapping: expected a mapping or list of mappings for merging", event)
        merged.update(mapping)
    frame.merged = merged


def _pairs(items: list[Any], event: Any) -> list[tuple[Any, Any]]:
    if not all(item.__class__ is dict and len(item) == 1 for item in items):
        _refuse("while constructing pairs: expected mappings of length 1", event)
    return [pair for item in items for pair in item.items()]


# --- texts and errors


def _decoded(text: str | bytes) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-16" if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8")
    except UnicodeDecodeError as error:
        raise BadYaml(f"the text is not UTF-8: {error.reason} at byte {error.start + 1}") from error


def _refuse(problem: str, event: Any) -> NoReturn:
    mark = event.start_mark
    raise BadYaml(f"{problem} (line {mark.line + 1}, column {mark.column + 1})", problem, mark.line + 1)
