"""Security headers of every answer, by the library `secure`."""

from __future__ import annotations

from flask import Flask, Response, request
from secure import (
    ContentSecurityPolicy,
    CrossOriginOpenerPolicy,
    PermissionsPolicy,
    ReferrerPolicy,
    Secure,
    StrictTransportSecurity,
    XContentTypeOptions,
    XFrameOptions,
)


def attach(app: Flask, *, https: bool) -> None:
    """Set the headers on every answer; nothing but static files may be cached by anybody."""
    policy = (
        ContentSecurityPolicy()
        .default_src("'none'")
        .script_src("'self'")
        .style_src("'self'")
        .img_src("'self'", "data:")
        .connect_src("'self'")
        .form_action("'self'")
        .base_uri("'none'")
        .frame_ancestors("'none'")
    )
    secure = Secure(
        csp=policy,
        coop=CrossOriginOpenerPolicy().same_origin(),
        hsts=StrictTransportSecurity().max_age(31_536_000) if https else None,
        permissions=PermissionsPolicy().geolocation().microphone().camera(),
        referrer=ReferrerPolicy().same_origin(),
        xcto=XContentTypeOptions().nosniff(),
        xfo=XFrameOptions().deny(),
    )

    @app.after_request
    def protect(response: Response) -> Response:
        secure.set_headers(response)
        if request.endpoint == "static":
            response.headers["Cache-Control"] = "public, max-age=3600"
        else:
            response.headers["Cache-Control"] = "no-store"
        return response
