import { ArrowDown, ArrowUp, X } from "lucide-react";
import { type RefObject, useEffect, useRef } from "react";
import { IconButton } from "../design/button.tsx";

interface ItemButtonsProps {
  /** `item 2 of weights` */
  readonly name: string;
  readonly index: number;
  readonly length: number;
  readonly minItems: number;
  readonly onEdit: (edit: ListEdit) => void;
}

/** Moves or removes a list item. */
export function ItemButtons({ name, index, length, minItems, onEdit }: ItemButtonsProps) {
  return (
    <div className="flex shrink-0">
      <IconButton
        icon={ArrowUp}
        label={`Move ${name} up`}
        data-list-place={`up ${index}`}
        disabled={index === 0}
        onClick={() => onEdit({ kind: "up", index })}
      />
      <IconButton
        icon={ArrowDown}
        label={`Move ${name} down`}
        data-list-place={`down ${index}`}
        disabled={index === length - 1}
        onClick={() => onEdit({ kind: "down", index })}
      />
      <IconButton
        icon={X}
        label={`Remove ${name}`}
        data-list-place={`remove ${index}`}
        disabled={length <= minItems}
        onClick={() => onEdit({ kind: "remove", index })}
      />
    </div>
  );
}

export type ListEdit =
  | { readonly kind: "add"; readonly item: unknown }
  | { readonly kind: "change"; readonly index: number; readonly item: unknown }
  | { readonly kind: "remove" | "up" | "down"; readonly index: number };

export function editList(items: readonly unknown[], edit: ListEdit): readonly unknown[] {
  switch (edit.kind) {
    case "add":
      return [...items, edit.item];
    case "change":
      return items.with(edit.index, edit.item);
    case "remove":
      return items.toSpliced(edit.index, 1);
    case "up":
      return edit.index === 0 ? items : swapped(items, edit.index, edit.index - 1);
    case "down":
      return edit.index === items.length - 1 ? items : swapped(items, edit.index, edit.index + 1);
  }
}

function swapped(items: readonly unknown[], one: number, other: number): readonly unknown[] {
  return items.with(one, items[other]).with(other, items[one]);
}

/**
 * The `data-list-place` that gets the focus after an edit: the same button of the same item, unless the
 * item is at an end now.
 */
export function focusAfter(edit: ListEdit, length: number): string | null {
  switch (edit.kind) {
    case "add":
      return `item ${length}`;
    case "change":
      return null;
    case "remove":
      return length === 1 ? "add" : `remove ${Math.min(edit.index, length - 2)}`;
    case "up":
      return edit.index === 1 ? "down 0" : `up ${edit.index - 1}`;
    case "down":
      return edit.index === length - 2 ? `up ${length - 1}` : `down ${edit.index + 1}`;
  }
}

/** Edits a list and keeps the focus on the item: buttons move with each edit. */
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
    // Focuses the first control of an item.
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
