// Who answers faster than anybody reads is stopped: nothing comes before a key that gives no grade.

import { ask } from "./outbox.js";

const $ = (id) => document.getElementById(id);

// The stop of a project; `after` is called when the server has let the rater go on.
export function stop(project, after) {
  async function goOn() {
    try {
      const { ok, told } = await ask("POST", `/v1/projects/${project}/go-on`);
      $("slow-says").textContent = ok ? "" : told.what;
      if (!ok) return;
    } catch {
      $("slow-says").textContent = "no connection: try again";
      return;
    }
    $("slow").close();
    after();
  }
  return {
    goOn,
    show() {
      if ($("slow").open) return;
      for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
      $("slow").showModal();
    },
    // A key while a dialog is open; only that of the stop is looked at.
    key(dialog, event) {
      if (dialog.id !== "slow") return;
      if (event.key === "Escape") event.preventDefault();
      if (event.key === "c") goOn();
    },
  };
}
