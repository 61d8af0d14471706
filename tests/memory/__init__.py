"""Tests of what was said."""
