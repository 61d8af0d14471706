"""Tests of what becomes of finished turns."""
