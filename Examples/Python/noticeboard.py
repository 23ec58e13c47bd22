#!/usr/bin/python3
"""A notice board: a managed app in Python that links nothing of Martlet's."""
import json, os, pathlib, time

files = pathlib.Path(os.environ["MARTLET_FILES"])


def read(name):
    """A file that is not there is a value that the administrator has not set."""
    try:
        return (files / name).read_text()
    except FileNotFoundError:
        return None


shown = None
while True:
    configuration = json.loads(read("configuration.json") or "{}")
    password = read("secrets/password/news-account")
    board = f"{configuration.get('title', 'Notices')}: {'signed in' if password else 'not signed in'}"
    if board != shown:
        print(board, flush=True)
        shown = board
    time.sleep(0.5)
