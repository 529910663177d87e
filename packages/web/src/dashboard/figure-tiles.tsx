import { ArrowDown, ArrowRight, ArrowUp } from "lucide-react";
import type { Figure } from "./figures.ts";

const ICONS = { up: ArrowUp, down: ArrowDown, same: ArrowRight } as const;
const WORDS = { up: "up", down: "down", same: "the same:" } as const;

/** The figures of the whole range, and how they were in the period before. */
export function FigureTiles({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
      {figures.map((figure) => (
        <li
          key={figure.label}
          aria-label={figure.label}
          className="flex min-w-0 flex-col gap-0.5 rounded-xl border border-line bg-surface px-4 py-3 max-sm:last:col-span-2"
        >
          <span className="text-[0.93rem] text-ink-soft">{figure.label}</span>
          <span className="flex flex-wrap items-baseline justify-between gap-x-2">
            <span className="text-xl font-semibold tracking-tight tabular-nums">
              {figure.value}
            </span>
            <Change figure={figure} />
          </span>
          <span className="truncate text-xs text-ink-soft tabular-nums" title={figure.about}>
            {figure.about}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Change({ figure }: { readonly figure: Figure }) {
  const { change } = figure;
  if (change === null) {
    return (
      <span className="text-xs text-ink-soft" title="The period before is not known">
        –
      </span>
    );
  }
  const { direction, size } = change;
  const Icon = ICONS[direction];
  return (
    <span
      className={`flex items-center gap-0.5 text-xs font-medium tabular-nums ${toneOf(figure)}`}
      title="Against the period before, which was as long"
    >
      <Icon size={12} aria-label={WORDS[direction]} />
      {size}
    </span>
  );
}

function toneOf({ change, isBadWhenUp }: Figure): string {
  if (!isBadWhenUp || change === null || change.direction === "same") return "text-ink-soft";
  return change.direction === "up" ? "text-danger" : "text-success";
}
