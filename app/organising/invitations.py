"""The page behind an organiser's invitation link, which is not below a task's address."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from flask import flash, redirect, render_template, url_for

from app import web
from app.forms import EmptyForm
from app.organising import services
from app.shared_tasks import audit

pages = APIBlueprint("organisers", __name__, enable_openapi=False)


@pages.route("/organisers/<secret>", methods=["GET", "POST"])
def become(secret: str) -> Any:
    """Become an organiser of a task."""
    form = EmptyForm()
    _, invited = services.invited_to_run(web.session(), secret)
    if form.validate_on_submit():
        session, user = web.session(), web.signed_in()
        task = services.accept_organiser_invitation(session, secret, user)
        audit.record(session, user, task, "organiser joined", user.email)
        session.commit()
        flash(f"You run {task.title}.")
        return redirect(url_for("organise.overview", slug=task.slug))
    return render_template("become_organiser.html", form=form, task=invited)
