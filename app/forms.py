"""What forms of all features share."""

from __future__ import annotations

from flask import flash
from flask_wtf import FlaskForm

from app.errors import DomainError


class EmptyForm(FlaskForm):
    """A button: nothing but the protection against forgery."""


def tell_field(form: FlaskForm, bad: DomainError) -> None:
    """Show a domain error beside the field it is about, or above the form."""
    field = getattr(form, bad.field, None) if bad.field else None
    if field is None:
        form.form_errors.append(bad.message)
    else:
        field.errors = [*field.errors, bad.message]


def flash_secret(text: str, secret: str) -> None:
    """Show a secret on the next page, and never again."""
    flash(f"{text}\n{secret}", "secret")
