import { useSyncExternalStore } from "react";

const DARK = "(prefers-color-scheme: dark)";

/** What the page looks like now, whether the reader or their system chose it. */
export function useShownTheme(): "light" | "dark" {
  return useSyncExternalStore(subscribe, shownTheme);
}

function shownTheme(): "light" | "dark" {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia(DARK).matches ? "dark" : "light";
}

function subscribe(onChange: () => void): () => void {
  const system = matchMedia(DARK);
  system.addEventListener("change", onChange);
  const chosen = new MutationObserver(onChange);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    system.removeEventListener("change", onChange);
    chosen.disconnect();
  };
}
