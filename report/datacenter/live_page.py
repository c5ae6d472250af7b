"""The page of a service: the cluster live; it asks the host that it is from again and again."""

from __future__ import annotations

from ..page import page, web_file

TITLE = "slotwise serve"

BODY = """<header>
<h1 id="plan">slotwise serve</h1>
<p id="told" role="status" class="note">asks the service …</p>
</header>
<form id="ask" hidden>
<p><label for="token">The service answers only who has its token:</label></p>
<p><input autocomplete="username" value="slotwise" hidden>
<input id="token" type="password" autocomplete="current-password" required>
<button>Show the cluster</button></p>
</form>
<main id="all" hidden>
<section aria-label="Use of the cluster">
<div id="resources"></div>
<dl id="figures"></dl>
<canvas id="history" role="img"
 aria-label="Jobs that wait, and use, since the page was opened"></canvas>
<p id="key" class="key"></p>
</section>
<section aria-labelledby="of-machines">
<h2 id="of-machines">Machines</h2>
<p class="tools"><label>Find <input id="find" type="search" autocomplete="off"
 placeholder="part of a name"></label> <span id="found" class="note" role="status"></span></p>
<div id="scroller" tabindex="0" role="group" aria-describedby="machine"
 aria-label="Machines as bars: arrows go from one to the next, Enter shows its jobs">
<div id="space"><canvas id="machines" aria-hidden="true"></canvas></div></div>
<div id="machine" role="status" class="note">A bar for each resource, full where it is in use.</div>
<div id="details"></div>
<details><summary>By configuration</summary><div class="scroll"><table id="configurations"></table>
</div></details>
</section>
<div class="halves">
<div>
<section aria-labelledby="of-classes">
<h2 id="of-classes">Classes</h2>
<div class="scroll"><table id="classes"></table></div>
<p id="waits" class="note"></p>
</section>
<section aria-labelledby="of-line">
<h2 id="of-line">Queue</h2>
<p id="line" class="note"></p>
<div class="scroll"><table id="first"></table></div>
</section>
</div>
<section aria-labelledby="of-changes">
<h2 id="of-changes">What changed</h2>
<ol id="changes"></ol>
</section>
</div>
</main>
<noscript><p>The page is filled by a script in it; please allow it.</p></noscript>"""


def live_page() -> str:
    """The page; it is the same for every cluster, and names nothing of it."""
    scripts = [web_file(__package__, f"web/{name}.js") for name in ("bars", "live")]
    styles = web_file(__package__, "web/live.css")
    return page(TITLE, BODY, styles=styles, scripts=scripts, asks_own_host=True)
