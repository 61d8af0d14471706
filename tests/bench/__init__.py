"""Measurements on real data; run by hand, never part of the tests."""
