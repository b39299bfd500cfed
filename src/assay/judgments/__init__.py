"""What people, models and clicks say of documents."""
