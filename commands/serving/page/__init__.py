"""The live page of a service: what it asks for, and what the service did lately."""
