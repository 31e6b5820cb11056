// Replaces the live part of the page when the server reports a change. Without this script the pages work, and do not update.
"use strict";

(() => {
  const live = document.getElementById("live");
  const state = document.getElementById("stream-state");
  const pause = document.getElementById("pause");
  let paused = false;
  let running = false;
  let pending = false;

  function show(text, kind) {
    if (state.textContent !== text) {
      state.textContent = text;
    }
    state.dataset.kind = kind;
  }

  // The path of an element below the live part, so that focus and scroll survive a replacement.
  function pathOf(element) {
    const path = [];
    for (let at = element; at && at !== live; at = at.parentElement) {
      path.unshift(Array.prototype.indexOf.call(at.parentElement.children, at));
    }
    return path;
  }

  function find(path) {
    return path.reduce((at, index) => at && at.children[index], live);
  }

  function replace(next) {
    if (next.innerHTML === live.innerHTML) {
      return;
    }
    const focused = live.contains(document.activeElement) ? document.activeElement : null;
    const path = focused ? pathOf(focused) : null;
    const href = focused && focused.getAttribute("href");
    const open = new Set(Array.from(live.querySelectorAll("details[open][id]"), (each) => each.id));
    const scrolled = Array.from(live.querySelectorAll(".scroll"), (each) => each.scrollLeft);
    const top = window.scrollY;
    live.replaceChildren(...next.childNodes);
    live.querySelectorAll("details[id]").forEach((each) => { each.open = open.has(each.id); });
    live.querySelectorAll(".scroll").forEach((each, index) => { each.scrollLeft = scrolled[index] || 0; });
    if (focused) {
      const same = href ? Array.from(live.querySelectorAll("a")).find((each) => each.getAttribute("href") === href) : null;
      const target = same || find(path);
      if (target) {
        target.focus({ preventScroll: true });
      }
    }
    window.scrollTo(window.scrollX, top);
  }

  async function refresh() {
    if (running || paused || document.hidden) {
      pending = true;
      return;
    }
    running = true;
    pending = false;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.getElementById("live");
      if (next && !paused) {
        replace(next);
        document.documentElement.dataset.updates = String(Number(document.documentElement.dataset.updates || 0) + 1);
      }
    } catch (failure) {
      show("no answer", "bad");
    }
    running = false;
    if (pending) {
      refresh();
    }
  }

  pause.hidden = false;
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.setAttribute("aria-pressed", String(paused));
    show(paused ? "paused" : "live", paused ? "busy" : "good");
    if (!paused && pending) {
      refresh();
    }
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && pending) {
      refresh();
    }
  });

  const stream = new EventSource("/events");
  stream.addEventListener("open", () => show(paused ? "paused" : "live", paused ? "busy" : "good"));
  stream.addEventListener("error", () => show("reconnecting", "bad"));
  stream.addEventListener("change", refresh);
})();
