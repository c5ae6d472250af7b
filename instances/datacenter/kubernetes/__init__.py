"""Nodes and pods of Kubernetes as machines and jobs of a datacenter."""
