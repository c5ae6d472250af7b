"""Pages in which a learner takes a formulation apart and it is solved again in the browser."""
