"""Scenarios that want the built Debian package; tests/package/run runs them."""
