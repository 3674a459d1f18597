"""A model server on loopback that plays scenes: it answers as a model's API does, with what a script says.

`server` speaks HTTP, `scenes` knows what is played, `truth` keeps what was served, and each API has a module of its
own.
"""
