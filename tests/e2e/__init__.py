"""Whole paths over real sockets, against doubles."""
