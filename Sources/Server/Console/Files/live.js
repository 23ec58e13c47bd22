// Pages that show what changes while they are open: whatever concerns one has it fetched again, and the parts that differ
// are exchanged. Without this, or without a connection, pages are as they were when they were opened.
"use strict";

(() => {
  const main = document.querySelector("main[data-live]");
  const word = document.getElementById("live-word");
  if (!main || !window.EventSource) return;
  // Much may change at once: not more often than this, and ten times as long apart as a page takes.
  const shortest = 400;
  const longest = 30000;
  let source = null, lastID = main.dataset.after, due = null, isLoading = false, isDue = false, apart = shortest, tries = 0;

  const concerns = (change) => {
    const { live, app, device, job } = main.dataset;
    // How far a job is is told part by part, and is of no other page.
    if (live === "jobs") return change.kind.startsWith("job.");
    if (live === "job") return change.kind.startsWith("job.") && change.name === job;
    if (change.kind === "job.progress") return false;
    if (live === "app") return change.app === app || !change.app && /^(group|device|secret)\./.test(change.kind);
    if (live === "device") return change.device === device || !change.device && !/^(person|enrollment-code)\./.test(change.kind);
    return true;
  };

  const soon = () => {
    isDue = true;
    if (!due && !isLoading) due = setTimeout(load, apart);
  };

  const load = async () => {
    due = null;
    isDue = false;
    isLoading = true;
    const begun = performance.now();
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "manual", cache: "no-store" });
      if (answer.ok) {
        show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      } else {
        close();
      }
    } catch {
      // The next change, or the next connection, tries again.
    }
    apart = Math.min(Math.max(shortest, (performance.now() - begun) * 10), longest);
    isLoading = false;
    if (isDue) soon();
  };

  // How long ago something was is no change.
  const core = (part) => {
    const copy = part.cloneNode(true);
    for (const time of copy.querySelectorAll("time")) time.textContent = "";
    for (const button of copy.querySelectorAll("[data-copy], [hidden]")) button.hidden = true;
    for (const details of copy.querySelectorAll("details")) details.open = false;
    for (const token of copy.querySelectorAll("input[type=hidden]")) token.value = "";
    return copy.innerHTML;
  };

  const parts = (root) => Array.from(root.querySelectorAll("[data-part]"));
  const name = (part) => part.dataset.part;

  const show = (page) => {
    const fresh = page.querySelector("main[data-live]");
    if (!fresh) return close();
    const [old, now] = [parts(main), parts(fresh)];
    const isSame = old.length === now.length && old.every((part, index) => name(part) === name(now[index]));
    const pairs = isSame ? old.map((part, index) => [part, now[index]]) : [[main, fresh]];
    const changed = pairs.filter(([before, after]) => core(before) !== core(after) && !isInUse(before));
    if (!changed.length) return;
    const [x, y] = [scrollX, scrollY];
    for (const [before, after] of changed) exchange(before, after);
    scrollTo(x, y);
    if (word) word.textContent = "Changed just now: " + (isSame ? changed.map(([part]) => name(part)).join(", ") : "this page") + ".";
  };

  // Whoever is about to write or choose something is not disturbed.
  const isInUse = (part) => {
    const focus = document.activeElement;
    return part.contains(focus) && focus.matches("input, select, textarea");
  };

  const exchange = (before, after) => {
    const focus = before.contains(document.activeElement) && before !== document.activeElement ? document.activeElement : null;
    const place = focus ? way(before, focus) : null;
    const open = Array.from(before.querySelectorAll("details"), (details) => details.open);
    before.replaceChildren(...Array.from(after.childNodes, (node) => document.importNode(node, true)));
    before.querySelectorAll("details").forEach((details, index) => { if (open[index]) details.open = true; });
    before.dispatchEvent(new CustomEvent("martlet:shown", { bubbles: true }));
    if (focus) (again(before, focus) || at(before, place) || main).focus({ preventScroll: true });
  };

  // The same link or button as before, wherever it is now.
  const again = (part, focus) => {
    const mark = focus.getAttribute("href") || focus.dataset.copy;
    if (!mark) return null;
    return Array.from(part.querySelectorAll(focus.tagName)).find(
      (one) => one.getAttribute("href") === mark || one.dataset.copy === mark);
  };

  const way = (root, element) => {
    const steps = [];
    for (let one = element; one !== root; one = one.parentElement) {
      steps.unshift(Array.prototype.indexOf.call(one.parentElement.children, one));
    }
    return steps;
  };

  const at = (root, steps) => steps.reduce((one, step) => one && one.children[step], root);

  const open = () => {
    if (source || document.hidden) return;
    source = new EventSource(main.dataset.source + (lastID ? "?after=" + encodeURIComponent(lastID) : ""));
    source.addEventListener("open", () => { tries = 0; main.dataset.connected = "yes"; });
    source.addEventListener("change", (event) => {
      lastID = event.lastEventId;
      if (concerns(JSON.parse(event.data))) soon();
    });
    source.addEventListener("reset", (event) => {
      lastID = event.lastEventId;
      soon();
    });
    source.addEventListener("error", () => {
      delete main.dataset.connected;
      if (source && source.readyState === EventSource.CLOSED) {
        close();
        // Refused, or the browser gave up: a while later, and longer each time.
        if (++tries < 6) setTimeout(open, 2000 * 2 ** tries);
      }
    });
  };

  const close = () => {
    if (source) source.close();
    source = null;
    delete main.dataset.connected;
  };

  // A connection for each page that is looked at, no more: browsers have six for a server.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return close();
    open();
    if (!lastID) soon();
  });
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
})();
