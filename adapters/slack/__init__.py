"""Slack, through Bolt: wiring, events in, blocks out."""
