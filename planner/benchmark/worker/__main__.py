"""Starts the worker as a package, whether by ``-m`` or by the path of this folder."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys

# A name that no installed package has: this folder may lie anywhere.
_ALONE = "gpu_planner_worker"


def _package_by_path() -> str:
    """Make this folder importable as a package without putting ours, or it, on the foreign Python's path."""
    folder = os.path.dirname(os.path.abspath(__file__))
    # Python put this folder first to find __main__: its file names must not shadow foreign modules.
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != folder]
    init = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location(_ALONE, init, submodule_search_locations=[folder])
    if spec is None or spec.loader is None:
        raise ImportError("cannot load " + init)
    package = importlib.util.module_from_spec(spec)
    sys.modules[_ALONE] = package
    spec.loader.exec_module(package)
    return _ALONE


if __name__ == "__main__":
    main = importlib.import_module((__package__ or _package_by_path()) + ".run").main
    sys.exit(main(sys.argv[1:]))
