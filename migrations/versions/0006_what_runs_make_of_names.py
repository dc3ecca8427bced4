"""What runs make of people's names, and how many people have them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, column in (("stratifications", "names"), ("metadata_versions", "census")):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.add_column(sa.Column(column, sa.String(length=64), server_default="", nullable=False))


def downgrade() -> None:
    for table, column in (("metadata_versions", "census"), ("stratifications", "names")):
        with op.batch_alter_table(table, schema=None) as batch_op:
            batch_op.drop_column(column)
