import { useEffect, useEffectEvent, useId } from "react";
import { Dialog } from "../design/dialog.tsx";
import { Checkbox } from "../design/field.tsx";

/** The actions of the list's keyboard shortcuts. */
export interface ListKeys {
  /** Moves the selection by this many rows; ±Infinity moves it to the first or last row. */
  move(by: number): void;
  open(): void;
  /** Checks the current row, or unchecks it; a range does so from the last one. */
  check(isRange: boolean): void;
  checkAll(): void;
  clear(): void;
  search(): void;
  addFilter(): void;
  toggleLive(): void;
  help(): void;
}

/** The shortcuts, for the help. */
export const LIST_KEYS = [
  { keys: ["j", "↓"], does: "Next trace" },
  { keys: ["k", "↑"], does: "Previous trace" },
  { keys: ["Home"], does: "First trace" },
  { keys: ["End"], does: "Last loaded trace" },
  { keys: ["Enter"], does: "Open current trace" },
  { keys: ["x", "Space"], does: "Select or deselect current trace" },
  { keys: ["Shift+x"], does: "Select up to current trace" },
  { keys: ["a"], does: "Select all listed, or none" },
  { keys: ["Esc"], does: "Clear selection" },
  { keys: ["/"], does: "Search" },
  { keys: ["f"], does: "Add filter" },
  { keys: ["l"], does: "Toggle live tail" },
  { keys: ["?"], does: "Show shortcuts" },
] as const;

/**
 * Shortcuts that work anywhere on the page, except in text fields, menus and dialogs.
 *
 * @param hasCharacters Whether single-character shortcuts work: dictated words would trigger them (WCAG 2.1.4).
 */
export function useListKeys(hasCharacters: boolean, keys: ListKeys): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.target instanceof Element) || isForOthers(event.target)) return;
    if (/^\S$/u.test(event.key) && !hasCharacters) return;
    const action = actionOf(keys, event.key, event.target);
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

function actionOf(keys: ListKeys, key: string, target: Element): (() => void) | undefined {
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
      // Enter activates the focused button or link.
      return isControl(target) ? undefined : () => keys.open();
    case "x":
      return () => keys.check(false);
    case "X":
      return () => keys.check(true);
    case " ":
      // Elsewhere it presses a button or scrolls the page.
      return target.matches("[role=grid] a") ? () => keys.check(false) : undefined;
    case "a":
      return () => keys.checkAll();
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
      "input:not([type=checkbox]), textarea, select, [contenteditable], dialog, [role=dialog], [role=menu]",
    ) !== null
  );
}

function isControl(target: Element): boolean {
  return target.closest("a, button, input") !== null;
}

interface KeysHelpProps {
  readonly hasCharacters: boolean;
  readonly onCharacters: (areOn: boolean) => void;
  readonly onClose: () => void;
}

/** The help with all shortcuts, and the switch for single-character ones. */
export function KeysHelp({ hasCharacters, onCharacters, onClose }: KeysHelpProps) {
  const id = useId();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
        {LIST_KEYS.map(({ keys, does }) => (
          <div key={does} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded border border-line-strong/50 bg-sunken px-1.5 py-0.5 text-center font-sans text-xs"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label htmlFor={id} className="flex items-center gap-2 border-t border-line pt-3">
        <Checkbox
          id={id}
          checked={hasCharacters}
          onChange={(event) => onCharacters(event.target.checked)}
        />
        Enable single-key shortcuts
      </label>
    </Dialog>
  );
}
