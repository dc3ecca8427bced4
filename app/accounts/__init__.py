"""People, their teams, invitations and API tokens."""
