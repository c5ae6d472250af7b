"""First fit as a policy of one's own, in plain Python."""

from slotwise import Policy


class FirstFit(Policy):
    """The lowest machine with room; one queue that skips what does not fit."""

    def begin(self):
        self.queue = []

    def arrive(self, job):
        for machine in self.with_room(job):
            return self.start(job, machine)
        self.queue.append(job)

    def depart(self, job):
        for waiting in list(self.queue):
            if job.machine.has_room(waiting):
                self.queue.remove(waiting)
                self.start(waiting, job.machine)
