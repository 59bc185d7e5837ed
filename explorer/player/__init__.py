"""A recorded run as pictures that play without a server: on a page of its own or as a moving image."""

from explorer.player.recording import RunFilm, film

__all__ = ["RunFilm", "film"]
