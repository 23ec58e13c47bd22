// What browsers add to pages that work without it.
"use strict";

// Buttons that copy what stands beside them: of no use where nothing can be copied, so they are hidden until now.
const copyable = (part) => {
  for (const button of part.querySelectorAll("button[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const label = button.firstChild.textContent;
      await navigator.clipboard.writeText(button.dataset.copy);
      button.firstChild.textContent = "Copied ";
      setTimeout(() => { button.firstChild.textContent = label; }, 2000);
    });
  }
};
copyable(document);
// A part that was exchanged for a newer one.
document.addEventListener("martlet:shown", (event) => copyable(event.target));

// A file that is read into the text it stands above: nothing is sent before the form is.
for (const part of document.querySelectorAll("[data-file]")) {
  const text = document.getElementById(part.dataset.file);
  if (!text) continue;
  part.hidden = false;
  part.querySelector("input").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (file) text.value = await file.text();
  });
}
