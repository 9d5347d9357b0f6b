
(() => {
  "use strict";
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));

  // Filter: what is typed and the states that are switched on. A check is shown with those of its findings that hold
  // the text; with all of them when its own lines do.
  for (const box of all(".filter")) {
    box.hidden = false;
    const part = box.closest(".part");
    const field = box.querySelector("input");
    const buttons = all("button[data-state]", box);
    const said = box.querySelector("output");
    const items = all(".item", part).map((node) => {
      const subs = all(".sub", node).map((sub) => ({ node: sub, text: sub.textContent.toLowerCase() }));
      const own = node.cloneNode(true);
      for (const sub of all(".sub", own)) sub.remove();
      return { node, subs, text: own.textContent.toLowerCase(), open: node.open };
    });
    const groups = all(".group", part);
    const apply = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      const holds = (text) => words.every((word) => text.includes(word));
      const off = new Set(buttons.filter((b) => b.getAttribute("aria-pressed") === "false").map((b) => b.dataset.state));
      let shown = 0;
      for (const item of items) {
        const whole = holds(item.text);
        let some = whole;
        for (const sub of item.subs) {
          const hit = whole || holds(sub.text);
          sub.node.hidden = !hit;
          some = some || hit;
        }
        item.node.hidden = !some || off.has(item.node.dataset.state);
        if (item.subs.length > 0 && words.length > 0 && some && !whole) item.node.open = true;
        if (!item.node.hidden) shown += 1;
      }
      for (const group of groups) {
        group.hidden = all(".item", group).every((node) => node.hidden);
        if (words.length > 0 && !group.hidden) group.open = true;
      }
      said.textContent = shown === items.length ? "" : shown + " of " + items.length + " shown";
    };
    field.addEventListener("input", apply);
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      field.value = "";
      apply();
    });
    for (const button of buttons)
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") === "true" ? "false" : "true");
        apply();
      });
  }

  // Map: what is under the pointer is told below it.
  for (const map of all(".map")) {
    const line = map.closest(".mapbox").querySelector(".readout");
    line.hidden = false;
    line.textContent = "Point at a box to see what it is.";
    let last = null;
    const tell = (event) => {
      const box = event.target.closest(".t, .fr");
      if (!box || box === last) return;
      if (last) last.classList.remove("on");
      last = box;
      box.classList.add("on");
      line.classList.add("told");
      line.textContent = box.querySelector("title").textContent;
    };
    map.addEventListener("pointerover", tell);
    map.addEventListener("click", tell);
  }

  // A link may lead into something that is closed; paper has nothing to open.
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    if (target) target.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const node of closed) node.open = true;
  });
  addEventListener("afterprint", () => {
    for (const node of closed) node.open = false;
  });
})();
