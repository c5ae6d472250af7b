"""Lower bounds for slots of different speed, by prices of whole-task patterns.

What runs on one slot is a pattern: a number of whole tasks of each kind, done by their due dates.
`patterns` finds the most valuable pattern of each slot for given prices of the tasks, `prices`
looks for prices that prove a horizon impossible, `windows` branches on when map phases end.
docs/formulations/pattern-prices.md has the proofs.
"""
