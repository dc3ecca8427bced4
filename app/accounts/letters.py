"""Letters about accounts. What depends on whether an address has an account happens here, out of the sight of a request."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from itsdangerous import BadData, URLSafeTimedSerializer

from app.accounts import services
from app.db import Database
from app.errors import NotFoundError
from app.mail import Letter

_CONFIRM_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Registration:
    """Who asks for an account; none is made before the letter's link was opened."""

    email: str
    name: str
    affiliation: str


def seal(secret_key: str, registration: Registration) -> str:
    """A registration as part of an address that only this server can make."""
    return URLSafeTimedSerializer(secret_key, salt="register").dumps(asdict(registration))


def unseal(secret_key: str, sealed: str) -> Registration:
    """What `seal` was given.

    Raises:
        NotFoundError: it was not made by this server, or more than a day ago.
    """
    try:
        return Registration(**URLSafeTimedSerializer(secret_key, salt="register").loads(sealed, max_age=_CONFIRM_SECONDS))
    except BadData:
        raise NotFoundError("This link is not valid any more. Register again.") from None


def registration_letter(database: Database, registration: Registration, *, confirm: str, sign_in: str) -> Letter:
    """The link that makes the account, or, where the address has one, a reminder of it.

    Args:
        database: where accounts are.
        registration: who asks.
        confirm: the address that makes the account.
        sign_in: the address of the page for signing in.
    """
    with database.session(write=False) as session:
        try:
            services.find_user(session, registration.email)
        except NotFoundError:
            text = f"With this link you make your account within a day:\n\n{confirm}\n"
        else:
            text = f"Somebody, perhaps you, asked for an account with this address. It has one already. Sign in:\n\n{sign_in}\n"
    return Letter(registration.email, "Your account at Assay", text)


def reset_letter(database: Database, email: str, secret: str, link: str) -> Letter | None:
    """The link for a new password, which holds from now on; None where the address has no account.

    Args:
        database: where accounts are.
        email: the address that was typed.
        secret: the secret in the link.
        link: the address that sets a new password.
    """
    with database.session(write=True) as session:
        try:
            user = services.find_user(session, email)
        except NotFoundError:
            return None
        services.keep_reset(session, user, secret)
        session.commit()
    text = f"With this link you can set a new password within two hours:\n\n{link}\n"
    return Letter(user.email, "A new password for Assay", text)
