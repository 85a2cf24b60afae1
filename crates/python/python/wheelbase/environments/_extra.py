"""Packages that only environments need: the extra `learning`."""

from __future__ import annotations

import importlib
from types import ModuleType

INSTALL = 'pip install "gymnasium>=1.0" "pettingzoo>=1.24"'


def _import(name: str, user: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{user} needs {name}: {INSTALL}") from error


def gymnasium_of(user: str) -> ModuleType:
    """Gymnasium, or an error that says how to install it. Before 1.0 its vector environments had no autoreset modes."""
    found = _import("gymnasium", user)
    if int(found.__version__.partition(".")[0]) < 1:
        raise ImportError(f"{user} needs gymnasium from 1.0, found {found.__version__}: {INSTALL}")
    return found


def pettingzoo_of(user: str) -> ModuleType:
    """PettingZoo, or an error that says how to install it."""
    return _import("pettingzoo", user)
