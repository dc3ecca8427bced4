"""What organisers do in the browser: phases, teams, terms, announcements, exports, the audit log."""
