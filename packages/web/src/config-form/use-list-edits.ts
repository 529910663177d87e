import { type RefObject, useEffect, useRef } from "react";
import { editList, focusAfter, type ListEdit } from "./list-edit.ts";

/** Edits a list, and keeps the focus where the reader works: buttons and items move with each edit. */
export function useListEdits(
  items: readonly unknown[],
  onChange: (items: readonly unknown[]) => void,
): { readonly container: RefObject<HTMLDivElement | null>; readonly edit: (e: ListEdit) => void } {
  const container = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const place = container.current?.querySelector<HTMLElement>(
      `[data-list-place="${wanted.current}"]`,
    );
    wanted.current = null;
    // An item is focused at its first control.
    const control = place?.matches("button")
      ? place
      : place?.querySelector<HTMLElement>("textarea, select, input, button");
    control?.focus();
  });
  return {
    container,
    edit: (edit) => {
      wanted.current = focusAfter(edit, items.length);
      onChange(editList(items, edit));
    },
  };
}
