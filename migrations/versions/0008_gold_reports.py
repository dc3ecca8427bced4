"""Reports on gold, and what organisers say of its doubtful places."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gold_reports",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=80), nullable=True),
        sa.Column("lease_until", sa.DateTime(), nullable=True),
        sa.Column("note", sa.String(length=200), server_default="", nullable=False),
        sa.Column("split_id", sa.Integer(), nullable=False),
        sa.Column("stored", sa.String(length=64), nullable=False),
        sa.Column("asked_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["split_id"], ["splits.id"], name=op.f("fk_gold_reports_split_id_splits"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_reports")),
        sa.UniqueConstraint("split_id", name=op.f("uq_gold_reports_split_id")),
    )
    op.create_table(
        "gold_marks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("split_id", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("place", sa.String(length=200), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("instead", sa.Text(), nullable=False),
        sa.Column("marked_by", sa.Integer(), nullable=True),
        sa.Column("marked_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["split_id"], ["splits.id"], name=op.f("fk_gold_marks_split_id_splits"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["marked_by"], ["users.id"], name=op.f("fk_gold_marks_marked_by_users"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gold_marks")),
        sa.UniqueConstraint("split_id", "document", "place", name=op.f("uq_gold_marks_split_id_document_place")),
    )


def downgrade() -> None:
    op.drop_table("gold_marks")
    op.drop_table("gold_reports")
