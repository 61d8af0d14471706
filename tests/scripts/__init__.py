"""Tests of scripts that people run."""
