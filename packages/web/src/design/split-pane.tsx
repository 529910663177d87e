import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { useRef, useState } from "react";

const SMALLEST = 25;
const LARGEST = 75;
const STEP = 2;

interface SplitPaneProps {
  /** What the line between the two is for: "Width of the tree". */
  readonly label: string;
  /** Under which name the place of the line is remembered. */
  readonly name: string;
  /** Per cent of the first, to begin with. */
  readonly initial?: number;
  readonly first: ReactNode;
  /** Beside the first on large screens; there only, so give it a place of its own on small ones. */
  readonly second: ReactNode;
}

/** Two things side by side, with a line between them that can be dragged or moved by arrow keys. */
export function SplitPane({ label, name, initial = 58, first, second }: SplitPaneProps) {
  const key = `agate-split-${name}`;
  const [share, setShare] = useState(() => within(Number(localStorage.getItem(key) ?? initial)));
  const box = useRef<HTMLDivElement>(null);
  const move = (to: number) => {
    const next = within(to);
    setShare(next);
    localStorage.setItem(key, String(next));
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || box.current === null) return;
    const { left, width } = box.current.getBoundingClientRect();
    move(((event.clientX - left) / width) * 100);
  };
  const press = (event: KeyboardEvent) => {
    const to = {
      ArrowLeft: share - STEP,
      ArrowRight: share + STEP,
      Home: SMALLEST,
      End: LARGEST,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  return (
    <div ref={box} className="relative flex min-h-0 min-w-0 flex-1">
      <div
        className="flex min-h-0 min-w-0 shrink-0 flex-col max-lg:grow"
        style={{ flexBasis: `${share}%` }}
      >
        {first}
      </div>
      <hr
        aria-label={label}
        aria-orientation="vertical"
        aria-valuemin={SMALLEST}
        aria-valuemax={LARGEST}
        aria-valuenow={Math.round(share)}
        tabIndex={0}
        onKeyDown={press}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        className="relative z-10 -mx-1 h-auto w-2 shrink-0 cursor-col-resize touch-none self-stretch border-0 bg-linear-to-r from-transparent from-[calc(50%-0.5px)] via-line via-50% to-transparent to-[calc(50%+0.5px)] hover:via-accent max-lg:hidden"
      />
      {second}
    </div>
  );
}

function within(share: number): number {
  return Number.isFinite(share) ? Math.min(LARGEST, Math.max(SMALLEST, share)) : 50;
}
