"""Click logs: what a team recorded, shrunk by an embedded engine or by Spark to counts that fit in memory."""
