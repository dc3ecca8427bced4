"""Forms of accounts and teams."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import EmailField, PasswordField, StringField
from wtforms.validators import InputRequired, Length


class RegisterForm(FlaskForm):
    """A new account."""

    name = StringField("Your name", [InputRequired(), Length(max=100)], render_kw={"autocomplete": "name"})
    email = EmailField("E-mail address", [InputRequired(), Length(max=254)], render_kw={"autocomplete": "email"})
    password = PasswordField(
        "Password", [InputRequired()], description="At least 10 characters.", render_kw={"autocomplete": "new-password"}
    )


class SignInForm(FlaskForm):
    """An address and a password."""

    email = EmailField("E-mail address", [InputRequired()], render_kw={"autocomplete": "username"})
    password = PasswordField("Password", [InputRequired()], render_kw={"autocomplete": "current-password"})


class NameForm(FlaskForm):
    """A name for a team or a token."""

    name = StringField("Name", [InputRequired(), Length(max=100)])
