"""The same in the same guest: nothing of the run before is left."""

from .passes import TOPOLOGY, run  # noqa: F401
