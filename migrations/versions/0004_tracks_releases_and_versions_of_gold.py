"""Tracks and releases of phases, and versions of gold."""

import tomllib

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gold_versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("split_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("stored", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("label_counts", sa.Text(), server_default="{}", nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("given_changed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("switched_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["split_id"], ["splits.id"], name=op.f("fk_gold_versions_split_id_splits"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_versions")),
        sa.UniqueConstraint("split_id", "number", name=op.f("uq_gold_versions_split_id_number")),
    )
    op.create_table(
        "rescorings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=80), nullable=True),
        sa.Column("lease_until", sa.DateTime(), nullable=True),
        sa.Column("note", sa.String(length=200), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_rescorings_run_id_runs"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["gold_versions.id"], name=op.f("fk_rescorings_version_id_gold_versions"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rescorings")),
        sa.UniqueConstraint("version_id", "run_id", name=op.f("uq_rescorings_version_id_run_id")),
    )
    with op.batch_alter_table("rescorings", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_rescorings_run_id"), ["run_id"], unique=False)
    with op.batch_alter_table("phases", schema=None) as batch_op:
        batch_op.add_column(sa.Column("tracks", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(sa.Column("releases", sa.String(length=16), server_default="text", nullable=False))
        batch_op.add_column(sa.Column("cut", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.add_column(sa.Column("first_told_at", sa.DateTime(), nullable=True))
    with op.batch_alter_table("scorings", schema=None) as batch_op:
        batch_op.add_column(sa.Column("confusion", sa.String(length=64), server_default="", nullable=False))
    _fill()


def _fill() -> None:
    """What was said in task.toml only, and the gold that there is as the first version."""
    connection = op.get_bind()
    tasks = connection.execute(sa.text("SELECT id, toml FROM tasks")).all()
    wanted = sa.text("UPDATE phases SET tracks = :tracks WHERE task_id = :task AND slug = :slug")
    for task, toml in tasks:
        for phase in tomllib.loads(toml).get("phases", []):
            connection.execute(wanted, {"tracks": " ".join(phase["tracks"]), "task": task, "slug": phase["id"].strip()})
    connection.execute(
        sa.text(
            "INSERT INTO gold_versions (split_id, number, stored, digest, label_counts, state, made_at, switched_at) "
            "SELECT splits.id, 1, gold, gold_digest, label_counts, 'current', tasks.created_at, tasks.created_at "
            "FROM splits JOIN tasks ON tasks.id = splits.task_id"
        )
    )


def downgrade() -> None:
    with op.batch_alter_table("scorings", schema=None) as batch_op:
        batch_op.drop_column("confusion")
    with op.batch_alter_table("phases", schema=None) as batch_op:
        batch_op.drop_column("first_told_at")
        batch_op.drop_column("cut")
        batch_op.drop_column("releases")
        batch_op.drop_column("tracks")
    op.drop_table("rescorings")
    op.drop_table("gold_versions")
