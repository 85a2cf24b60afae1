"""Packages that only environments need: the extra `learning`."""

from __future__ import annotations

import importlib
from types import ModuleType

INSTALL = 'pip install "wheelbase[learning]"'


def _import(name: str, user: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{user} needs {name}: {INSTALL}") from error


def gymnasium_of(user: str) -> ModuleType:
    """Gymnasium, or an error that says how to install it."""
    return _import("gymnasium", user)


def pettingzoo_of(user: str) -> ModuleType:
    """PettingZoo, or an error that says how to install it."""
    return _import("pettingzoo", user)
