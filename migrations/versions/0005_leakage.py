"""Metadata of documents, leakage reports, and scores by stratum."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def _job() -> list[sa.Column]:
    return [
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=80), nullable=True),
        sa.Column("lease_until", sa.DateTime(), nullable=True),
        sa.Column("note", sa.String(length=200), server_default="", nullable=False),
    ]


def upgrade() -> None:
    op.create_table(
        "metadata_versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("stored", sa.String(length=64), nullable=False),
        sa.Column("source", sa.String(length=200), server_default="", nullable=False),
        sa.Column("lexicon", sa.String(length=64), server_default="", nullable=False),
        sa.Column("made_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_metadata_versions_task_id_tasks"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metadata_versions")),
        sa.UniqueConstraint("task_id", "number", name=op.f("uq_metadata_versions_task_id_number")),
    )
    op.create_table(
        "leakage_reports",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("split_id", sa.Integer(), nullable=False),
        sa.Column("basis", sa.String(length=64), nullable=False),
        sa.Column("stored", sa.String(length=64), server_default="", nullable=False),
        *_job(),
        sa.ForeignKeyConstraint(
            ["split_id"], ["splits.id"], name=op.f("fk_leakage_reports_split_id_splits"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leakage_reports")),
        sa.UniqueConstraint("split_id", name=op.f("uq_leakage_reports_split_id")),
    )
    op.create_table(
        "stratifications",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("scoring_id", sa.Integer(), nullable=False),
        sa.Column("basis", sa.String(length=64), nullable=False),
        sa.Column("counts", sa.String(length=64), server_default="", nullable=False),
        sa.Column("comparisons", sa.String(length=64), server_default="", nullable=False),
        sa.Column("categories", sa.String(length=64), server_default="", nullable=False),
        *_job(),
        sa.ForeignKeyConstraint(
            ["scoring_id"], ["scorings.id"], name=op.f("fk_stratifications_scoring_id_scorings"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stratifications")),
        sa.UniqueConstraint("scoring_id", name=op.f("uq_stratifications_scoring_id")),
    )


def downgrade() -> None:
    op.execute("DELETE FROM scores WHERE stratification <> 'all'")
    op.drop_table("stratifications")
    op.drop_table("leakage_reports")
    op.drop_table("metadata_versions")
