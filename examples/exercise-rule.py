"""Exercise `rule`: say which machine starts which job, as jobs arrive and depart.

    slotwise grade FILE --exercise rule

The class `policy` is told of every arrival and departure and may then start jobs that wait:

    self.start(job, machine)    starts a job now
    self.with_room(job)         the machines on which it can start now, lowest number first
    self.machines, self.now     all machines, the time
    job.number, job.job_class, job.demand, job.duration, job.machine (None while it waits)
    machine.number, machine.free, machine.capacity, machine.running, machine.has_room(job)

A class derived from slotwise.Policy works as well, here and in `slotwise simulate`.

What is here is right and as slow as can be: one job at a time. Do better.
"""


class policy:
    def begin(self):
        self.queue = []

    def arrive(self, job):
        self.queue.append(job)
        self.next()

    def depart(self, job):
        self.next()

    def next(self):
        if self.queue and not any(machine.running for machine in self.machines):
            job = self.queue.pop(0)
            self.start(job, next(self.with_room(job)))
