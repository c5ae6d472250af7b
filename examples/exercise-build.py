"""Exercise `build`: fill in the rows of a model.

    slotwise grade FILE --exercise build

The model is a Pyomo model that has its variables; HiGHS minimises `makespan`. No task reads data
here, so a task takes its time on every slot.

    model.tasks, model.maps, model.reduces   names of all tasks, of map tasks, of reduce tasks
    model.time[task], model.job[task]        how long it takes (s), and of which job it is
    model.slots[task]                        the slots that it may run on
    model.pairs                              all (a, b) of two map tasks or of two reduce tasks
    model.horizon                            all times together (s): no schedule need be longer

    model.on[task, slot]                     1 if the task runs on this slot, else 0
    model.before[a, b]                       1 if a comes before b, else 0
    model.start[task], model.makespan        seconds, from 0 to the horizon

The rules: every task runs on one slot; a slot runs one task at a time; a reduce task starts after
all map tasks of its job have ended; the makespan is when the last task ends.

`rows(model)` gives pairs of a name and a row. A row is linear, with <=, >= or ==; its name is for
you: the grader names the rows that cut off what is right. Two rules are done here and two are not.
"""


def rows(model):
    yield from every_task_runs(model)
    yield from one_at_a_time(model)
    yield from reduces_wait(model)
    yield from last_end(model)


def every_task_runs(model):
    for task in model.tasks:
        yield f"{task} runs", sum(model.on[task, slot] for slot in model.slots[task]) == 1


def one_at_a_time(model):
    return []  # your rows: for two tasks on one slot, which comes first, and what follows from it


def reduces_wait(model):
    return []  # your rows


def last_end(model):
    for task in model.tasks:
        yield f"{task} ends", model.makespan >= model.start[task] + model.time[task]
