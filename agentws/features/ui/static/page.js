"use strict";
// Live pages: a server-sent event fetches the page anew, unless the person is filling in a form.
(() => {
  const isFilled = () =>
    [...document.querySelectorAll("#main input:not([type=hidden]), #main textarea, #main select")].some((field) =>
      field === document.activeElement ? true : field.tagName !== "SELECT" && field.value !== field.defaultValue,
    );
  const source = new EventSource("changes");
  source.addEventListener("changed", () => {
    if (isFilled()) document.getElementById("stale").hidden = false;
    else htmx.trigger(document.body, "changed");
  });
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => event.persisted && location.reload());

  // A slider says its value while it moves, and sends its form when it rests.
  document.addEventListener("input", (event) => {
    const output = event.target.type === "range" && event.target.form?.querySelector("output");
    if (output) output.value = Number(event.target.value).toLocaleString("en");
  });
  document.addEventListener("change", (event) => event.target.type === "range" && event.target.form.requestSubmit());
})();
