"""Tests of adapters.teams."""
