import { useEffect, useRef } from "react";

/** Calls back on Ctrl+Enter or ⌘+Enter, anywhere on the page except in a dialog. */
export function useRunKey(onRun: (target: Element | null) => void): void {
  const latest = useRef(onRun);
  useEffect(() => {
    latest.current = onRun;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      // In the capture phase: editors insert a line break on these keys.
      event.preventDefault();
      event.stopPropagation();
      latest.current(event.target instanceof Element ? event.target : null);
    };
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);
}

/** The shortcut as the user's keyboard labels it. */
export const RUN_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ Enter" : "Ctrl+Enter";
