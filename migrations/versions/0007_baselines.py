"""Baselines, and the team that has their runs."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("teams", schema=None) as batch_op:
        batch_op.add_column(sa.Column("baseline", sa.Boolean(), server_default=sa.false(), nullable=False))
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("trained_by", sa.Text(), server_default="", nullable=False))
    op.create_table(
        "baselines",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=80), nullable=True),
        sa.Column("lease_until", sa.DateTime(), nullable=True),
        sa.Column("note", sa.String(length=200), server_default="", nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("track", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.String(length=200), nullable=False),
        sa.Column("given", sa.Text(), nullable=False),
        sa.Column("device", sa.String(length=16), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("publish", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("started_by", sa.Integer(), nullable=True),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.Column("began_at", sa.DateTime(), nullable=True),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("unit", sa.String(length=80), nullable=False),
        sa.Column("log", sa.Text(), nullable=False),
        sa.Column("spent", sa.Integer(), server_default="0", nullable=False),
        sa.Column("stop", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_baselines_task_id_tasks"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["phase_id"], ["phases.id"], name=op.f("fk_baselines_phase_id_phases"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["started_by"], ["users.id"], name=op.f("fk_baselines_started_by_users"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_baselines_run_id_runs"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_baselines")),
    )
    with op.batch_alter_table("baselines", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_baselines_task_id"), ["task_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_baselines_run_id"), ["run_id"], unique=False)


def downgrade() -> None:
    op.drop_table("baselines")
    op.execute("DELETE FROM teams WHERE baseline")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_column("trained_by")
    with op.batch_alter_table("teams", schema=None) as batch_op:
        batch_op.drop_column("baseline")
