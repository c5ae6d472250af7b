"""Every file format in one place: read, write, check, and their JSON Schemas."""
