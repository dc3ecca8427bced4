"""Forms of accounts and teams."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import EmailField, PasswordField, StringField
from wtforms.validators import InputRequired, Length

_LONG = "At least 10 characters."


class RegisterForm(FlaskForm):
    """A new account."""

    name = StringField("Your name", [InputRequired(), Length(max=100)], render_kw={"autocomplete": "name"})
    affiliation = StringField(
        "Affiliation", [Length(max=200)], description="May be empty.", render_kw={"autocomplete": "organization"}
    )
    email = EmailField("E-mail address", [InputRequired(), Length(max=254)], render_kw={"autocomplete": "email"})
    password = PasswordField("Password", [InputRequired()], description=_LONG, render_kw={"autocomplete": "new-password"})


class ProfileForm(FlaskForm):
    """Name and affiliation."""

    name = StringField("Your name", [InputRequired(), Length(max=100)], render_kw={"autocomplete": "name"})
    affiliation = StringField("Affiliation", [Length(max=200)], render_kw={"autocomplete": "organization"})


class SignInForm(FlaskForm):
    """An address and a password."""

    email = EmailField("E-mail address", [InputRequired()], render_kw={"autocomplete": "username"})
    password = PasswordField("Password", [InputRequired()], render_kw={"autocomplete": "current-password"})


class ForgotForm(FlaskForm):
    """An address to send a link to."""

    email = EmailField("E-mail address", [InputRequired()], render_kw={"autocomplete": "username"})


class ResetForm(FlaskForm):
    """A new password."""

    password = PasswordField("New password", [InputRequired()], description=_LONG, render_kw={"autocomplete": "new-password"})


class PasswordForm(FlaskForm):
    """The old password and a new one."""

    old = PasswordField("Present password", [InputRequired()], render_kw={"autocomplete": "current-password"})
    password = PasswordField("New password", [InputRequired()], description=_LONG, render_kw={"autocomplete": "new-password"})


class DeleteForm(FlaskForm):
    """The password, to be sure."""

    password = PasswordField("Your password", [InputRequired()], render_kw={"autocomplete": "off"})


class NameForm(FlaskForm):
    """A name for a team or a token."""

    name = StringField("Name", [InputRequired(), Length(max=100)])
