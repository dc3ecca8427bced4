"""Trials, runs that are held, and diagnoses."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.add_column(sa.Column("trial", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.add_column(sa.Column("anyway", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch_op.add_column(sa.Column("diagnosis", sa.Text(), server_default="[]", nullable=False))
        batch_op.add_column(sa.Column("corrected", sa.String(length=64), server_default="", nullable=False))
        batch_op.add_column(sa.Column("changes", sa.Text(), server_default="[]", nullable=False))
        batch_op.add_column(sa.Column("changed", sa.Integer(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("annotated", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("origin", sa.String(length=32), nullable=True))
        batch_op.create_index(batch_op.f("ix_runs_origin"), ["origin"], unique=False)


def downgrade() -> None:
    op.execute("DELETE FROM runs WHERE trial")
    op.execute("UPDATE runs SET state = 'rejected' WHERE state = 'held'")
    op.execute("DELETE FROM state_changes WHERE state IN ('held', 'tried')")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_runs_origin"))
        for name in ("origin", "annotated", "changed", "changes", "corrected", "diagnosis", "anyway", "trial"):
            batch_op.drop_column(name)
