"""Objects that stay as they were made: what was checked of them, and told compiled code, holds for ever."""

from abc import ABCMeta
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = ("agents.", "learners.", "strategic_env.")


class _Sealing(ABCMeta):
    """Makes objects, and seals them when the last of their constructors is done."""

    def __call__(cls, *args: Any, **parameters: Any) -> Any:
        made = super().__call__(*args, **parameters)
        made._seal()
        return made


class Unchangeable(metaclass=_Sealing):
    """An object of this package whose public attributes cannot be set, nor their arrays written into, once it is made.

    Objects of somebody's own subclass can: games check anew what these say.
    """

    def _seal(self) -> None:
        if not type(self).__module__.startswith(HERE):
            return
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray) and not name.startswith("_"):
                value.flags.writeable = False
        self.__dict__["_sealed"] = True

    def __repr__(self) -> str:
        """Name the class, and what its objects are made with as far as that is short."""
        plain = [f"{name}={value!r}" for name, value in vars(self).items() if _is_plain(name, value)]
        return f"{type(self).__name__}({', '.join(plain)})"

    def _refuse(self, name: str) -> None:
        # A method of its own makes an object somebody's own (`agents.populations.limits.is_own`).
        private = name.startswith("_") or callable(getattr(type(self), name, None))
        if "_sealed" in self.__dict__ and not private:
            kind = type(self).__name__
            raise AttributeError(f"{name} of a {kind} cannot be changed: make another {kind}")

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse to change what is sealed."""
        self._refuse(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        """Refuse to change what is sealed."""
        self._refuse(name)
        super().__delattr__(name)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Seal a copy, too: pickles forget that an array was read-only."""
        self.__dict__.update(state)
        self._seal()


def _is_plain(name: str, value: object) -> bool:
    return not name.startswith("_") and isinstance(value, str | int | float)


class ReadOnly:
    """An attribute that shows an array of its object read-only; compiled code takes the array, ``_name``, itself.

    A read-only array is another type to compiled code.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        """Learn the attribute's name."""
        self._name = f"_{name}"

    def __get__(self, instance: object, owner: type | None = None) -> NDArray[Any]:
        """Return a view."""
        if instance is None:
            raise AttributeError(f"only objects have {self._name[1:]}")
        try:
            view: NDArray[Any] = vars(instance)[self._name].view()
        except KeyError:
            raise AttributeError(f"{type(instance).__name__} has no {self._name[1:]}") from None
        view.flags.writeable = False
        return view

    def __set__(self, instance: object, value: NDArray[Any]) -> None:
        """Keep the array itself."""
        vars(instance)[self._name] = value
