"use strict";
// Live pages: a server-sent event fetches the page anew, unless the person is filling in a form or looks elsewhere.
(() => {
  const LEAST_MS = 2000; // an agent that works changes files all the time
  let newest = 0;
  let isWaiting = false;
  const isFilled = () =>
    [...document.querySelectorAll("#main input:not([type=hidden]), #main textarea")].some(
      (field) => field === document.activeElement || field.value !== field.defaultValue,
    );
  const refresh = () => {
    if (document.hidden) return;
    isWaiting = false;
    newest = Date.now();
    if (isFilled()) document.getElementById("stale").hidden = false;
    else htmx.trigger(document.body, "changed");
  };
  const changed = () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(refresh, Math.max(0, newest + LEAST_MS - Date.now()));
  };
  const source = new EventSource(`changes?seen=${document.getElementById("main").dataset.seen ?? ""}`);
  source.addEventListener("changed", changed);
  document.addEventListener("visibilitychange", () => isWaiting && refresh());
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => event.persisted && location.reload());

  // A slider says its value while it moves, and sends its form when it rests.
  document.addEventListener("input", (event) => {
    const output = event.target.type === "range" && event.target.form?.querySelector("output");
    if (output) output.value = Number(event.target.value).toLocaleString("en");
  });
  document.addEventListener("change", (event) => event.target.type === "range" && event.target.form.requestSubmit());

  // The page stays where it was when a button has done its work.
  document.addEventListener("submit", () => sessionStorage.setItem("at", scrollY));
  const at = sessionStorage.getItem("at");
  sessionStorage.removeItem("at");
  if (at && document.querySelector(".notice")) scrollTo(0, at);
})();
