"""What the site's build adds to Sphinx: mathematics, and pages made from what the package says."""
