"""Named tuples of arrays as kernels get them by reference: the address of words in memory.

numba passes a named tuple by value: five numbers and more for every array in it. By reference it is
one address, of words that say where each array is and how large. A kernel can only read its fields.
"""

# mypy: disable-error-code="attr-defined, misc, no-untyped-call, override, untyped-decorator"
# numba says the types of few of its functions.

from __future__ import annotations

import struct
from hashlib import sha256
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, typeof, types
from numba.core import cgutils
from numba.core.typing import templates

WORD = 8
"""Bytes of a word."""

_WORD: Any = ir.IntType(8 * WORD)


class ReferenceType(types.Type):
    """The type of a reference to named tuples of a class whose fields have certain types.

    `fields`: type and first word of each field, by name.
    `words`: words of all fields.
    """

    def __init__(self, instance_class: Any, field_types: tuple[Any, ...]) -> None:
        self.instance_class, self._types = instance_class, field_types
        self.fields: dict[str, tuple[Any, int]] = {}
        self.words = 0
        for name, field in zip(instance_class._fields, field_types, strict=True):
            self.fields[name] = field, self.words
            self.words += _words_of(field)
        # Short, as it is part of the name of every function that has one.
        digest = sha256(f"{instance_class.__module__} {field_types}".encode()).hexdigest()
        super().__init__(f"{instance_class.__qualname__}@{digest[:12]}")

    @property
    def key(self) -> Any:
        """The class and its fields' types."""
        return self.instance_class, self._types


def _words_of(field: Any) -> int:
    if isinstance(field, ReferenceType):
        return field.words
    if isinstance(field, types.Array):
        return 2 + 2 * int(field.ndim)
    if field in (types.int64, types.float64, types.boolean):
        return 1
    raise TypeError(f"a kernel cannot read a field of type {field} by reference")


class Reference:
    """A reference to a named tuple of arrays and numbers, for kernels.

    `value`: the named tuple. If it holds other arrays later, a new reference is needed.
    `type`: the type that kernels know it by.
    `address`: where its words are.
    """

    def __init__(self, value: Any) -> None:
        words: list[int] = []
        kind = _write(value, words)
        if kind not in _types:
            _types[kind] = _type_of(value)
        self.type = self._numba_type_ = _types[kind]
        self.value = value
        self._words = np.array(words, dtype=np.int64)
        self.address = int(self._words.ctypes.data)


_types: dict[Any, Any] = {}
"""Types of references by what decides them; numba takes longer to find out."""


def _type_of(value: Any) -> Any:
    if isinstance(value, tuple):
        return ReferenceType(type(value), tuple(map(_type_of, value)))
    return typeof(value)


def _write(value: Any, words: list[int]) -> Any:
    """Add the words of a value, and return what decides its type."""
    if isinstance(value, np.ndarray):
        place = value.__array_interface__["data"][0]
        words += (place, value.size, *value.shape, *value.strides)
        return value.dtype.str, value.ndim, value.flags.num
    if isinstance(value, tuple):
        return type(value), *[_write(field, words) for field in value]
    if isinstance(value, float):
        words += struct.unpack("q", struct.pack("d", value))
    else:
        words.append(int(value))
    return type(value)


extending.register_model(ReferenceType)(extending.models.OpaqueModel)


@extending.unbox(ReferenceType)
def _unbox(typ: Any, obj: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(obj, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return extending.NativeValue(pointer)


@extending.infer_getattr
class _Fields(templates.AttributeTemplate):
    key = ReferenceType

    def generic_resolve(self, typ: Any, attr: str) -> Any:
        """The type of a field."""
        return typ.fields[attr][0] if attr in typ.fields else None


@extending.lower_getattr_generic(ReferenceType)
def _field(context: Any, builder: Any, typ: Any, reference: Any, attr: str) -> Any:
    field, first = typ.fields[attr]
    words = builder.bitcast(reference, _WORD.as_pointer())

    def word(at: int, kind: Any = _WORD) -> Any:
        place = builder.gep(words, [_WORD(first + at)], inbounds=True)
        loaded = builder.load(builder.bitcast(place, kind.as_pointer()))
        # It stays as it is while a kernel runs, whatever the kernel writes.
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    if isinstance(field, ReferenceType):
        place = builder.gep(words, [_WORD(first)], inbounds=True)
        return builder.bitcast(place, context.get_value_type(field))
    if isinstance(field, types.Array):
        return _array(context, builder, field, word)
    if field == types.boolean:
        return builder.trunc(word(0), context.get_value_type(field))
    return word(0, context.get_value_type(field))


def _array(context: Any, builder: Any, field: Any, word: Any) -> Any:
    """numba's structure of an array, without an owner."""
    axes = range(field.ndim)
    members = {
        "nitems": word(1),
        "itemsize": _WORD(context.get_abi_sizeof(context.get_data_type(field.dtype))),
        "data": word(0, context.get_data_type(field.dtype).as_pointer()),
        "shape": cgutils.pack_array(builder, [word(2 + axis) for axis in axes]),
        "strides": cgutils.pack_array(builder, [word(2 + field.ndim + axis) for axis in axes]),
    }
    model = context.data_model_manager[field]
    array = ir.Constant(context.get_value_type(field), None)
    for name, value in members.items():
        array = builder.insert_value(array, value, model.get_field_position(name))
    return array
