import { type PointerEvent, useState } from "react";

export interface Pause {
  /** Whether somebody reads, so that no row may move. */
  readonly isOn: boolean;
  /** For the element that holds the list. */
  readonly pointer: {
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerLeave: () => void;
  };
  onScroll(top: number): void;
  /** Goes on although the pointer is still there: until it moves again. */
  resume(): void;
}

/**
 * Somebody reads while the pointer is over the list, while a row is selected, and while the list is
 * scrolled down. A finger stays nowhere; whoever reads with one scrolls.
 */
export function usePause(isSelected: boolean): Pause {
  const [isPointed, setPointed] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  return {
    isOn: isPointed || isSelected || isScrolled,
    pointer: {
      onPointerMove: (event) => setPointed(event.pointerType !== "touch"),
      onPointerLeave: () => setPointed(false),
    },
    onScroll: (top) => setScrolled(top > 0),
    resume: () => {
      setPointed(false);
      setScrolled(false);
    },
  };
}
