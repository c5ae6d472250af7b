"""Hidden problems: drawn within a domain, made smaller, and answered exactly."""
