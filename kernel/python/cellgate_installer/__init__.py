"""The program that puts packages into a session's site directory: see __main__.py."""
