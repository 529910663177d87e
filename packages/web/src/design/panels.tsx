import { Tabs as Radix } from "radix-ui";
import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { useId, useRef, useState } from "react";
import { classNames } from "./class-names.ts";

interface CardProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A bordered section with a title. */
export function Card({ title, actions, className, children }: CardProps) {
  const titleId = useId();
  return (
    <section
      aria-labelledby={title ? titleId : undefined}
      className={classNames("min-w-0 rounded-xl border border-line bg-surface", className)}
    >
      {title && (
        <header className="flex min-h-11 items-center justify-between gap-2 border-b border-line px-4 py-1.5">
          <h2 id={titleId} className="min-w-0 truncate font-semibold">
            {title}
          </h2>
          {actions && <div className="flex shrink-0 items-center gap-1.5">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

export interface Tab {
  readonly value: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Tabs; only the content of the selected one is rendered. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <Radix.Root value={value} onValueChange={onChange} className="flex min-h-0 flex-1 flex-col">
      <Radix.List
        aria-label={label}
        className="flex gap-1 overflow-x-auto border-b border-line px-2"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px border-b-2 border-transparent px-2 py-2 font-medium whitespace-nowrap text-ink-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.value}
          value={tab.value}
          className="relative min-h-0 flex-1 overflow-auto"
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

const SMALLEST = 25;
const LARGEST = 75;
const STEP = 2;

interface SplitPaneProps {
  /** The accessible name of the separator: "Tree width". */
  readonly label: string;
  /** The key under which the position is stored. */
  readonly name: string;
  /** The initial width of the first pane in percent. */
  readonly initial?: number;
  readonly first: ReactNode;
  /** Beside the first on large screens; on small ones it has to place itself. */
  readonly second: ReactNode;
}

/** Two panes with a separator that is moved by dragging or with arrow keys. */
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
