"""The server and the command line: the only package that knows Flask, the database and the queue."""
