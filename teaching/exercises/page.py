"""The verdict as one HTML page that needs no network and no script."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from .grade import Finding, Grade, Reveal, answer_lines, problem_lines, titled_answers
from .picture import last_end, picture

STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1b1f24; --soft: #57606a; --lane: #eef1f5;
  --line: #d0d7de; --bad: #b42318; --good: #1a7f37; --card: #f7f8fa; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171b; --ink: #e6e9ed; --soft: #a3acb8;
  --lane: #242a32; --line: #3a424d; --bad: #ff8a7a; --good: #6fd68a; --card: #1c2127; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 16px; max-width: 720px; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; margin: 0 0 4px; } h2 { font-size: 1.1rem; margin: 28px 0 6px; }
h3 { font-size: 1rem; margin: 18px 0 4px; } p { margin: 6px 0; }
.verdict { font-weight: 600; } .bad { color: var(--bad); } .good { color: var(--good); }
.soft, .notes { color: var(--soft); font-size: .9rem; }
.what { border-left: 4px solid var(--bad); padding: 4px 0 4px 12px; margin: 12px 0; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 10px;
  margin: 6px 0; white-space: pre-wrap; font: .85rem/1.5 ui-monospace, monospace; }
svg { display: block; width: 100%; max-width: 520px; height: auto; margin: 6px 0;
  font: 11px system-ui, sans-serif; color: var(--ink); }
.lane { fill: var(--lane); } .tick { stroke: var(--line); stroke-width: .5; }
.broken { stroke: var(--bad); stroke-width: 2.5; }
"""


def page(grade: Grade, reveal: Reveal = "smallest") -> str:
    """The verdict as HTML.

    `reveal`: what may be seen of the hidden problems.
    """
    body = "\n".join(_body(grade, reveal))
    return _whole(f"{grade.file}: exercise {grade.exercise}", body)


def refusal(file: str, exercise: str, verdict: str, why: str) -> str:
    """The page about a file that cannot be graded.

    `verdict`: what it is called in a table.
    """
    body = (
        f'<h1>{escape(file)}</h1>\n<p class="soft">exercise {escape(exercise)}</p>\n'
        f'<p class="verdict bad">{escape(verdict)}</p>\n<p class="what">{escape(why)}</p>'
    )
    return _whole(f"{file}: exercise {exercise}", body)


def _whole(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n"
        f"<body><main>\n{body}\n</main></body></html>\n"
    )


def _body(grade: Grade, reveal: Reveal) -> Iterator[str]:
    yield f"<h1>{escape(grade.file)}</h1>"
    yield f'<p class="soft">exercise {escape(grade.exercise)}, domain {escape(grade.domain)}</p>'
    mood = "bad" if grade.broken else "good"
    yield f'<p class="verdict {mood}">{escape(grade.summary)}</p>'
    if grade.broken and reveal == "kind":
        kinds = "".join(f"<li>{escape(one.failure.kind)}</li>" for one in grade.findings)
        yield f"<ul>{kinds}</ul>"
    elif grade.broken and reveal == "smallest":
        for finding in grade.findings:
            yield from _finding(finding)
    notes = "".join(f"<li>{escape(note)}</li>" for note in grade.notes)
    yield f'<ul class="notes">{notes}</ul>'


def _finding(finding: Finding) -> Iterator[str]:
    failure = finding.failure
    yield f"<h2>{escape(failure.kind)}</h2>"
    yield f'<p class="what">{escape(failure.text)}</p>'
    head, *lines = problem_lines(finding)
    yield f"<p>{escape(head)}</p>"
    yield f"<pre>{escape(chr(10).join(line.strip() for line in lines))}</pre>"
    until = max(last_end(failure.answer), last_end(failure.right))
    for title, answer in titled_answers(finding):
        broken = failure.broken if answer is failure.answer else ()
        told = answer_lines(answer)
        if not told:
            continue
        yield f"<h3>{escape(title + told[0].removesuffix(':'))}</h3>"
        yield picture(finding.document, answer, broken, until)
        if told[1:]:
            yield f"<pre>{escape(chr(10).join(told[1:]))}</pre>"
