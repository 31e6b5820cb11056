// The search over all sections and types, and the list of pages on narrow screens.
"use strict";
(() => {
  const root = document.body.dataset.root;
  const query = document.getElementById("query");
  const found = document.getElementById("found");

  if (matchMedia("(max-width: 48rem)").matches) {
    document.querySelector(".navigation").open = false;
  }

  function load() {
    if (!document.getElementById("search-index")) {
      const script = document.createElement("script");
      script.id = "search-index";
      script.src = root + "search-index.js";
      script.onload = show;
      document.head.append(script);
    }
  }

  // All words have to be there; a word in the title counts more than one in the text.
  function score(entry, words) {
    const title = entry[1].toLowerCase();
    const text = entry[2].toLowerCase();
    let sum = 0;
    for (const word of words) {
      const inTitle = title.includes(word);
      if (!inTitle && !text.includes(word)) {
        return 0;
      }
      sum += (title === word ? 40 : 0) + (title.startsWith(word) ? 10 : 0) + (inTitle ? 20 : 1);
    }
    return sum - title.length / 100;
  }

  function excerpt(text, words) {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 50);
    return (at > 0 ? "… " : "") + text.slice(at, at + 170) + (text.length > at + 170 ? " …" : "");
  }

  function show() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = words.length === 0;
    found.replaceChildren();
    if (words.length === 0 || !window.searchIndex) {
      return;
    }
    const best = window.searchIndex
      .map(entry => [score(entry, words), entry])
      .filter(([points]) => points > 0)
      .sort((one, two) => two[0] - one[0])
      .slice(0, 20);
    for (const [, entry] of best) {
      const link = document.createElement("a");
      const text = document.createElement("small");
      link.href = root + entry[0];
      link.textContent = entry[1];
      text.textContent = excerpt(entry[2], words);
      link.append(text);
      found.append(link);
    }
    if (best.length === 0) {
      const none = document.createElement("p");
      none.textContent = "Nothing has all of these words.";
      found.append(none);
    }
  }

  query.addEventListener("focus", load);
  query.addEventListener("input", () => { load(); show(); });
  query.addEventListener("keydown", event => {
    const first = found.querySelector("a");
    if (event.key === "Enter" && first) {
      first.click();
    }
    if (event.key === "ArrowDown" && first) {
      event.preventDefault();
      first.focus();
    }
  });
  found.addEventListener("keydown", event => {
    const next = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (next) {
      event.preventDefault();
      (document.activeElement[next] ?? query).focus();
    }
  });
  found.addEventListener("click", () => { found.hidden = true; });
  document.addEventListener("keydown", event => {
    if (event.key === "Escape") {
      found.hidden = true;
    }
    if (event.key === "/" && document.activeElement !== query) {
      event.preventDefault();
      query.focus();
    }
  });
  document.addEventListener("click", event => {
    if (!found.contains(event.target) && event.target !== query) {
      found.hidden = true;
    }
  });
})();
