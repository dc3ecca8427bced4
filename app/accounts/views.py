"""Pages of accounts: registering, signing in, passwords, tokens."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import flash, redirect, render_template, request, url_for
from flask import session as cookie
from flask_login import login_user, logout_user
from flask_wtf import FlaskForm

from app import web
from app.accounts import letters, services
from app.accounts.forms import DeleteForm, ForgotForm, NameForm, PasswordForm, ProfileForm, RegisterForm, ResetForm, SignInForm
from app.accounts.models import Team, User
from app.accounts.names import clean_affiliation, clean_email, clean_name
from app.errors import DomainError, NotFoundError
from app.forms import EmptyForm, flash_secret, tell_field
from app.secret import new_secret
from app.shared_tasks.models import Task

pages = APIBlueprint("accounts", __name__, enable_openapi=False)


def _next_page() -> str:
    """Where to go after signing in: a path of this server, never another host."""
    target = request.args.get("next", "")
    safe = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if safe else url_for("shared_tasks.index")


def _begin_session(user: User) -> None:
    """A session with nothing of the one before it."""
    cookie.clear()
    login_user(user)


@pages.route("/register", methods=["GET", "POST"])
def register() -> Any:
    """Make an account; where mail is sent, ask for the letter with which one can be made."""
    form = RegisterForm()
    if web.context().mail is not None:
        return _register_by_letter(form)
    if form.validate_on_submit():
        asked = letters.Registration(form.email.data, form.name.data, form.affiliation.data or "")
        made = _make_account(form, asked, form.password.data)
        if made is not None:
            return made
    return render_template("register.html", form=form, sent="")


def _make_account(form: FlaskForm, asked: letters.Registration, password: str) -> Any:
    """Make the account and begin its session; None, with the form told why, where it cannot be made."""
    session = web.session()
    try:
        user = services.register(session, email=asked.email, name=asked.name, password=password, affiliation=asked.affiliation)
    except DomainError as bad:
        tell_field(form, bad)
        return None
    session.commit()
    _begin_session(user)
    flash(f"Welcome, {user.name}.")
    return redirect(_next_page())


def _register_by_letter(form: RegisterForm) -> Any:
    """The answer is the same whether or not the address has an account."""
    del form.password
    context, sent = web.context(), ""
    if context.mail is not None and form.validate_on_submit():
        try:
            asked = letters.Registration(
                clean_email(form.email.data),
                clean_name(form.name.data, "name", 100),
                clean_affiliation(form.affiliation.data or ""),
            )
        except DomainError as bad:
            tell_field(form, bad)
        else:
            sealed, target = letters.seal(context.settings.secret_key, asked), request.args.get("next")
            confirm = web.link("accounts.confirm", sealed=sealed, next=target)
            sign_in = web.link("accounts.sign_in", next=target)
            context.mail.post(lambda: letters.registration_letter(context.database, asked, confirm=confirm, sign_in=sign_in))
            sent = asked.email
    return render_template("register.html", form=form, sent=sent)


@pages.route("/register/<sealed>", methods=["GET", "POST"])
def confirm(sealed: str) -> Any:
    """Make the account that a letter is about."""
    form = ResetForm()
    form.password.label.text = "Password"
    asked = letters.unseal(web.context().settings.secret_key, sealed)
    if form.validate_on_submit():
        made = _make_account(form, asked, form.password.data)
        if made is not None:
            return made
    return render_template("confirm.html", form=form, registration=asked)


@pages.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> Any:
    """Sign in."""
    form = SignInForm()
    if form.validate_on_submit():
        user = services.authenticate(web.session(), email=form.email.data, password=form.password.data)
        if user is not None:
            _begin_session(user)
            return redirect(_next_page())
        form.form_errors.append("Address and password do not belong together.")
    return render_template("sign_in.html", form=form)


@pages.post("/sign-out")
def sign_out() -> Any:
    """Sign out, everywhere: a copy of the cookie is worth nothing afterwards."""
    user = web.person()
    if user is not None:
        services.end_sessions(web.session(), user)
        web.session().commit()
    logout_user()
    cookie.clear()
    return redirect(url_for("shared_tasks.index"))


@pages.route("/forgot", methods=["GET", "POST"])
def forgot() -> Any:
    """Ask for a link to set a new password. The answer is the same whether or not the address is known."""
    form, mail = ForgotForm(), web.context().mail
    sent = False
    if mail is not None and form.validate_on_submit():
        database, email, secret = web.context().database, form.email.data, new_secret()
        link = web.link("accounts.reset", secret=secret)
        mail.post(lambda: letters.reset_letter(database, email, secret, link))
        sent = True
    return render_template("forgot.html", form=form, has_mail=mail is not None, sent=sent)


@pages.route("/reset/<secret>", methods=["GET", "POST"])
def reset(secret: str) -> Any:
    """Set a new password by a link."""
    form, session = ResetForm(), web.session()
    services.find_reset(session, secret)
    if form.validate_on_submit():
        try:
            services.reset_password(session, secret, form.password.data)
        except NotFoundError:
            raise
        except DomainError as bad:
            tell_field(form, bad)
        else:
            session.commit()
            cookie.clear()
            flash("Your password is set. Sign in with it.")
            return redirect(url_for("accounts.sign_in"))
    return render_template("reset.html", form=form)


@pages.get("/account")
def account() -> Any:
    """Profile, password, tokens and teams of the person."""
    return _account_page()


@pages.post("/account/profile")
def profile() -> Any:
    """Change name and affiliation."""
    form, session = ProfileForm(), web.session()
    if form.validate_on_submit():
        try:
            services.update_profile(session, web.signed_in(), name=form.name.data, affiliation=form.affiliation.data or "")
        except DomainError as bad:
            tell_field(form, bad)
        else:
            session.commit()
            flash("Your profile is changed.")
            return redirect(url_for("accounts.account"))
    return _account_page(profile=form)


@pages.post("/account/password")
def password() -> Any:
    """Change the password; all other sessions end."""
    form, session = PasswordForm(), web.session()
    if form.validate_on_submit():
        try:
            services.change_password(session, web.signed_in(), old=form.old.data, new=form.password.data)
        except DomainError as bad:
            tell_field(form, bad)
        else:
            session.commit()
            _begin_session(web.signed_in())
            flash("Your password is changed, and your sessions elsewhere have ended.")
            return redirect(url_for("accounts.account"))
    return _account_page(password=form)


@pages.post("/account/delete")
def delete() -> Any:
    """Delete the account; teams keep their runs."""
    form, session = DeleteForm(), web.session()
    if form.validate_on_submit():
        try:
            services.delete_account(session, web.signed_in(), form.password.data)
        except DomainError as bad:
            tell_field(form, bad)
        else:
            session.commit()
            logout_user()
            cookie.clear()
            flash("Your account is deleted.")
            return redirect(url_for("shared_tasks.index"))
    return _account_page(delete=form)


@pages.post("/account/tokens")
def new_token() -> Any:
    """Make a token; the page that follows is the only one that ever shows it."""
    form = NameForm()
    if form.validate_on_submit():
        session = web.session()
        try:
            secret = services.issue_token(session, web.signed_in(), form.name.data)
        except DomainError as bad:
            tell_field(form, bad)
        else:
            session.commit()
            flash_secret("Your new token. It is shown only now:", secret)
            return redirect(url_for("accounts.account"))
    return _account_page(token=form)


@pages.post("/account/tokens/<int(max=2147483647):token_id>/revoke")
def revoke_token(token_id: int) -> Any:
    """End a token."""
    session = web.session()
    services.revoke_token(session, web.signed_in(), token_id)
    session.commit()
    flash("The token does not work any more.")
    return redirect(url_for("accounts.account"))


def _account_page(**forms: Any) -> str:
    """The page, with the forms that were sent and blank ones for the rest."""
    session, user = web.session(), web.signed_in()
    teams = [session.get_one(Team, each) for each in sorted(web.reader().teams)]
    blank = {
        "profile": ProfileForm(formdata=None, data={"name": user.name, "affiliation": user.affiliation}),
        "password": PasswordForm(formdata=None),
        "delete": DeleteForm(formdata=None),
        "token": NameForm(formdata=None),
    }
    return render_template(
        "account.html",
        **blank | forms,
        tokens=services.tokens_of(session, user),
        teams=teams,
        tasks={each.task_id: session.get_one(Task, each.task_id) for each in teams},
        button=EmptyForm(),
    )
