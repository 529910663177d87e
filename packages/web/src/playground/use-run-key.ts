import { useEffect, useRef } from "react";

/** Calls back at Ctrl+Enter or ⌘+Enter, anywhere on the page but in a dialog. */
export function useRunKey(onRun: (target: Element | null) => void): void {
  const latest = useRef(onRun);
  useEffect(() => {
    latest.current = onRun;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      // Before editors see it, in which the keys begin a new line.
      event.preventDefault();
      event.stopPropagation();
      latest.current(event.target instanceof Element ? event.target : null);
    };
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);
}

/** The keys that run, as the reader's keyboard has them. */
export const RUN_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ Enter" : "Ctrl+Enter";
