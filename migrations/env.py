"""Run migrations on the connection that `app.migrate` hands over."""

from alembic import context

from app.migrate import METADATA

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=METADATA, render_as_batch=True, compare_type=True)
with context.begin_transaction():
    context.run_migrations()
