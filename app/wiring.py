"""How the parts of the web application are put together."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from apiflask import APIFlask
from flask.json.provider import DefaultJSONProvider
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_login import LoginManager
from flask_wtf import CSRFProtect
from jinja2 import StrictUndefined
from werkzeug.middleware.proxy_fix import ProxyFix

from app import error_pages, guard, headers, presentation, web
from app.accounts import team_views as teams
from app.accounts import views as accounts
from app.accounts.models import User
from app.accounts.services import user_of_session
from app.analysis import gold_report_views
from app.analysis import leakage_views as leakage
from app.api import baselines as api_baselines
from app.api import changes as api_changes
from app.api import groups as api_groups
from app.api import strata as api_strata
from app.api import views as api
from app.baseline_runs import views as baseline_runs
from app.db import Database
from app.jobs import HueyQueue, Queue
from app.leaderboards import certainty_views, group_views, name_board_views, strata_views
from app.leaderboards import views as leaderboards
from app.mail import Mail, mail_of
from app.organising import gold_views, invitations, phase_views
from app.organising import views as organise
from app.runs import category_views, confusion_views, name_views
from app.runs import views as runs
from app.settings import Settings
from app.shared_tasks import views as shared_tasks
from app.storage import Storage
from app.version import VERSION

_HERE = Path(__file__).parent
_LIMITS = {
    "accounts.sign_in": "20 per minute",
    "accounts.register": "10 per minute",
    "accounts.confirm": "10 per minute",
    "accounts.forgot": "5 per minute",
    "accounts.reset": "10 per minute",
    "accounts.password": "10 per minute",
    "accounts.delete": "10 per minute",
    "teams.new_team": "20 per hour",
    "teams.join": "20 per minute",
    "teams.invite": "20 per minute",
    "runs.upload": "30 per minute",
    "api.post_run": "30 per minute",
    "runs.submit": "30 per minute",
    "api.submit": "30 per minute",
}


def wire(settings: Settings, queue: Queue | None, mail: Mail | None) -> APIFlask:
    """See `app.create_app`."""
    app = APIFlask(
        "assay",
        title="Assay",
        version=VERSION,
        json_errors=False,
        docs_path=None,  # its pages load scripts from other hosts
        spec_path="/api/v1/openapi.json",
        template_folder=str(_HERE / "templates"),
        static_folder=str(_HERE / "static"),
    )
    app.config.update(
        SECRET_KEY=settings.secret_key,
        MAX_CONTENT_LENGTH=settings.upload_bytes,
        SESSION_COOKIE_SECURE=settings.https,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_NAME="__Host-assay" if settings.https else "assay",
        PERMANENT_SESSION_LIFETIME=timedelta(days=14),
        WTF_CSRF_TIME_LIMIT=None,
        RATELIMIT_ENABLED=settings.rate_limits,
        RATELIMIT_HEADERS_ENABLED=True,  # Retry-After, for scripts
        OPENAPI_VERSION="3.1.0",
        DESCRIPTION="Download documents, upload runs, follow them, read leaderboards.",
        SERVERS=[{"url": "/"}],
        SECURITY_SCHEMES={"token": {"type": "http", "scheme": "bearer"}},
    )
    assert isinstance(app.json, DefaultJSONProvider), "BUG: another JSON provider"  # noqa: S101
    app.json.sort_keys = False  # labels keep the order of annotation.conf
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    if settings.proxies:
        trusted = settings.proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=trusted, x_proto=trusted, x_host=trusted)  # type: ignore[method-assign]
    database = Database(settings.database_url)
    web.attach(
        app,
        web.Context(settings, database, Storage(settings.storage_url), queue or HueyQueue(settings), mail or mail_of(settings)),
    )
    guard.attach(app)  # before all others: it notes when the header of a request was read, and CSRFProtect reads the body
    csrf = CSRFProtect(app)
    limiter = Limiter(get_remote_address, app=app, storage_uri="memory://")
    app.extensions["assay_limiter"] = limiter  # it keeps itself by a weak reference only
    _sign_in(app)
    presentation.attach(app)
    headers.attach(app, https=settings.https)
    error_pages.attach(app)
    for blueprint in (
        shared_tasks.pages,
        accounts.pages,
        teams.pages,
        runs.pages,
        confusion_views.pages,
        category_views.pages,
        name_views.pages,
        name_board_views.pages,
        leaderboards.pages,
        strata_views.pages,
        group_views.pages,
        certainty_views.pages,
        leakage.pages,
        gold_report_views.pages,
        organise.pages,
        phase_views.pages,
        gold_views.pages,
        baseline_runs.pages,
        invitations.pages,
        api.api,
        api_changes.api,
        api_strata.api,
        api_groups.api,
        api_baselines.api,
    ):
        app.register_blueprint(blueprint)
    for each in (api.api, api_baselines.api):
        csrf.exempt(each)  # bearer tokens only: a browser sends none by itself
    for name, often in _LIMITS.items():
        limited: Any = limiter.limit(often, methods=["POST"])(app.view_functions[name])
        app.view_functions[name] = limited
    return app


def _sign_in(app: APIFlask) -> None:
    login = LoginManager(app)
    login.session_protection = "basic"

    @login.user_loader
    def load(user_id: str) -> User | None:
        return user_of_session(web.session(), user_id)
