// Draws the pictures of a page in its colours; without the drawer their text stays.
"use strict";
if (window.mermaid) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  window.mermaid.initialize({ startOnLoad: true, theme: dark ? "dark" : "neutral", securityLevel: "strict" });
}
