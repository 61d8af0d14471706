"""Tests of one turn and its parts."""
