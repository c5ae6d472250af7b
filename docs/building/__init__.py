"""What the site's build adds to Sphinx: mathematics, and what pages show of the package."""
