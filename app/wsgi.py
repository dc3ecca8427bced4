"""The WSGI application, for gunicorn: `gunicorn app.wsgi:app`, or `wsgi:app` from the project's folder."""

from __future__ import annotations

import os

from app import create_app
from app.logs import configure
from app.settings import from_environment

configure()
app = create_app(from_environment(os.environ))
