"""Right rows: of two tasks on one slot one comes first, and the other waits for it."""


def rows(model):
    for task in model.tasks:
        yield f"{task} runs", sum(model.on[task, slot] for slot in model.slots[task]) == 1
    for a, b in model.pairs:
        if a < b:
            yield f"{a} or {b} first", model.before[a, b] + model.before[b, a] == 1
        for slot in model.slots[a]:
            off = 3 - model.before[a, b] - model.on[a, slot] - model.on[b, slot]
            wait = model.start[a] + model.time[a] - big_m(model, a) * off
            yield f"{a} then {b} on {slot}", model.start[b] >= wait
    for reduce in model.reduces:
        for other in model.maps:
            if model.job[other] == model.job[reduce]:
                ready = model.start[other] + model.time[other]
                yield f"{reduce} after {other}", model.start[reduce] >= ready
    for task in model.tasks:
        yield f"{task} ends", model.makespan >= model.start[task] + model.time[task]


def big_m(model, task):
    return model.horizon
