import { useEffect, useEffectEvent } from "react";

/** What the keys of the list do. */
export interface ListKeys {
  /** By so many rows; infinitely many is to an end. */
  move(by: number): void;
  open(): void;
  clear(): void;
  search(): void;
  addFilter(): void;
  toggleLive(): void;
  help(): void;
}

/** Each key with what it does, for those who ask. */
export const LIST_KEYS = [
  { keys: ["j", "↓"], does: "Next trace" },
  { keys: ["k", "↑"], does: "Previous trace" },
  { keys: ["Home"], does: "First trace" },
  { keys: ["End"], does: "Last trace that is loaded" },
  { keys: ["Enter"], does: "Open the selected trace" },
  { keys: ["Esc"], does: "Select nothing" },
  { keys: ["/"], does: "Search" },
  { keys: ["f"], does: "Add a filter" },
  { keys: ["l"], does: "Live tail on or off" },
  { keys: ["?"], does: "These keys" },
] as const;

/**
 * Keys that work wherever one is on the page, unless one types or is in a menu.
 *
 * @param hasCharacters Whether those work that are characters: whoever dictates sets them off by words.
 */
export function useListKeys(hasCharacters: boolean, keys: ListKeys): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.target instanceof Element) || isForOthers(event.target)) return;
    if (event.key.length === 1 && !hasCharacters) return;
    const action = actionOf(keys, event.key, isControl(event.target));
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);
}

function actionOf(keys: ListKeys, key: string, isOnControl: boolean): (() => void) | undefined {
  switch (key) {
    case "j":
    case "ArrowDown":
      return () => keys.move(1);
    case "k":
    case "ArrowUp":
      return () => keys.move(-1);
    case "Home":
      return () => keys.move(Number.NEGATIVE_INFINITY);
    case "End":
      return () => keys.move(Number.POSITIVE_INFINITY);
    case "Enter":
      // A button or a link that has the focus is meant.
      return isOnControl ? undefined : () => keys.open();
    case "Escape":
      return () => keys.clear();
    case "/":
      return () => keys.search();
    case "f":
      return () => keys.addFilter();
    case "l":
      return () => keys.toggleLive();
    case "?":
      return () => keys.help();
    default:
      return undefined;
  }
}

function isForOthers(target: Element): boolean {
  return (
    target.closest(
      "input, textarea, select, [contenteditable], dialog, [role=dialog], [role=menu]",
    ) !== null
  );
}

function isControl(target: Element): boolean {
  return target.closest("a, button") !== null;
}
