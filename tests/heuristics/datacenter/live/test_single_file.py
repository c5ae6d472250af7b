"""The dispatcher as one file: it runs without slotwise and decides as the package does."""

import ast
import builtins
import inspect
import json
import random
import subprocess
import symtable
import sys
from collections import Counter

import pytest

from slotwise import Configuration, Datacenter, Dispatcher, JobClass
from slotwise.heuristics.datacenter.single_file import single_file
from slotwise.instances.datacenter.guidance_file import guidance_document
from slotwise.solvers.datacenter.guide import guide


@pytest.fixture(scope="module")
def text():
    return single_file()


def session(dispatcher_class, plan, draws):
    """What a dispatcher of each policy answers to some calls."""
    said = []
    for policy in ("lotes", "lotes-unrestricted", "best-fit", "bid-price"):
        dispatcher = dispatcher_class(plan, policy=policy, keep_after=2.0, reasons=True)
        there = []
        for i in range(60):
            need = {"cpu": draws.choice((0.3, 0.5, 1.0)), "mem": 0.3}
            said.append(repr(dispatcher.arrive(str(i), "kl"[i % 2], need, now=i)))
            said.append(str(dispatcher.explain(str(i))))
            there.append(str(i))
            if i > 9:
                job = there.pop(draws.randrange(len(there)))
                said.append(repr(dispatcher.depart(job, now=i)))
        said += [str(dispatcher.explain(job)) for job in dispatcher.waiting]
        said.append(repr([dispatcher.join("c"), dispatcher.drain("c/0"), dispatcher.leave("d/0")]))
        state = dispatcher.state()
        dispatcher.restore(state)
        said.append(repr([dispatcher.state() == state, dispatcher.follow(plan), state]))
    return said


def test_it_decides_alone_as_the_package_does(text, tmp_path):
    configurations = [Configuration(c, 2, {"cpu": 1.0, "mem": 1.0}) for c in "cd"]
    classes = [JobClass("k", 0.5, 1.0, {"cpu": 0.5, "mem": 0.3})]
    classes.append(JobClass("l", 0.5, 2.0, {"cpu": 0.3, "mem": 0.3}))
    plan = guidance_document(
        guide(Datacenter.from_classes("d", ("cpu", "mem"), configurations, classes))
    )
    plan["prices"]["draws"] = 1
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    call = "print('\\n'.join(session(Dispatcher, json.load(open('plan.json')), random.Random(7))))"
    (tmp_path / "dispatcher.py").write_text(
        f"{text}\nimport random\n{inspect.getsource(session)}\n{call}\n", encoding="utf-8"
    )
    alone = subprocess.run(  # -S: no installed packages
        [sys.executable, "-I", "-S", "dispatcher.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert alone.stderr == ""
    said = session(Dispatcher, plan, random.Random(7))
    assert alone.stdout.splitlines() == said
    assert any("is kept for it" in line for line in said)


def test_all_names_are_defined_once(text):
    tree = ast.parse(text)
    defined = Counter()
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            defined.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] += 1
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            walks = (ast.walk(target) for target in targets)
            defined.update(part.id for walk in walks for part in walk if isinstance(part, ast.Name))
    assert [name for name, times in defined.items() if times > 1] == []
    assert used_globals(symtable.symtable(text, "dispatcher.py", "exec")) <= (
        defined.keys() | vars(builtins).keys() | {"__class__"}
    )


def used_globals(table):
    """Global names that functions and classes use, theirs inside included."""
    names = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return names.union(*map(used_globals, table.get_children()))
