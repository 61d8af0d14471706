"""Look-ups over the operator's own tables, services and Python functions."""

from adapters.lookups.python import PythonLookup

__all__ = ["PythonLookup"]
