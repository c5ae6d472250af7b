"""Beside kube-scheduler: what it asks, and the pods and nodes that its API server tells of."""
