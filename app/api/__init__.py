"""JSON API, version 1. OpenAPI is made from the code, at /api/v1/openapi.json."""
