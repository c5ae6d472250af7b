"""Plans made again beside a service, from the jobs that it remembers."""
