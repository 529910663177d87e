import { useCallback, useEffect, useState, useSyncExternalStore } from "react";

/**
 * Whether the tab is visible. A browser opens at most six connections to a host: streams of hidden tabs
 * would use them up.
 */
export function usePageVisible(): boolean {
  return useSyncExternalStore(subscribeToVisibility, () => !document.hidden);
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/** The time in milliseconds since 1970, updated at an interval: for "5 min ago". */
export function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/**
 * The width of an element in pixels (null before it is mounted), and the ref to give to the element.
 *
 * @example const [ref, width] = useElementWidth(); … <div ref={ref}>
 */
export function useElementWidth(): readonly [(element: HTMLElement | null) => void, number | null] {
  const [width, setWidth] = useState<number | null>(null);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

/** A boolean that is kept in the browser. */
export function useKeptFlag(key: string): readonly [boolean, (isOn: boolean) => void] {
  const [isOn, setOn] = useState(() => localStorage.getItem(key) === "true");
  const keep = (next: boolean) => {
    localStorage.setItem(key, String(next));
    setOn(next);
  };
  return [isOn, keep];
}

const DARK = "(prefers-color-scheme: dark)";

/** The theme shown now, chosen by the user or by the operating system. */
export function useShownTheme(): "light" | "dark" {
  return useSyncExternalStore(subscribeToTheme, shownTheme);
}

function shownTheme(): "light" | "dark" {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia(DARK).matches ? "dark" : "light";
}

function subscribeToTheme(onChange: () => void): () => void {
  const system = matchMedia(DARK);
  system.addEventListener("change", onChange);
  const chosen = new MutationObserver(onChange);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    system.removeEventListener("change", onChange);
    chosen.disconnect();
  };
}
