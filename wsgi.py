"""The WSGI application under the name that hosting services look for."""

from app.wsgi import app

__all__ = ["app"]
