"""A right rule: first fit with one queue."""


class policy:
    def begin(self):
        self.queue = []

    def arrive(self, job):
        for machine in self.machines:
            if self.fits(job, machine):
                return self.start(job, machine)
        self.queue.append(job)

    def depart(self, job):
        waiting, self.queue = self.queue, []
        for other in waiting:
            self.arrive(other)

    def fits(self, job, machine):
        return all(amount <= machine.free[name] for name, amount in job.demand.items())
