import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import { Button } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { type JsonLine, jsonLines } from "./json-lines.ts";
import { isRounded, jsonText, numberText, stringText } from "./json-text.ts";
import { LongText } from "./long-text.tsx";

/** How many lines are shown at once; more on demand. */
const PAGE_LINES = 500;
/** Deeper lines are not indented further. */
const MAX_INDENT = 16;
/** Characters of a text that must fit beside its key. */
const BESIDE_KEY = 16;

interface JsonViewProps {
  readonly value: unknown;
  /** The accessible name. */
  readonly label: string;
  /** How deep it is expanded at first. */
  readonly openDepth?: number;
}

/** A JSON value as a collapsible tree. */
export function JsonView({ value, label, openDepth = 2 }: JsonViewProps) {
  const [depth, setDepth] = useState(openDepth);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [limit, setLimit] = useState(PAGE_LINES);
  const { lines, hasMore } = jsonLines(value, { openDepth: depth, toggled }, limit);
  const canCollapse = lines.some(({ size }) => size !== null && size > 0);
  const openTo = (next: number) => {
    setDepth(next);
    setToggled(new Set());
  };
  return (
    <div className="relative min-w-0">
      <div className="absolute top-0 right-0 z-10 flex items-center rounded-md bg-surface">
        {canCollapse && (
          <Button
            look="quiet"
            size="small"
            onClick={() =>
              openTo(depth === Number.POSITIVE_INFINITY ? 1 : Number.POSITIVE_INFINITY)
            }
          >
            {depth === Number.POSITIVE_INFINITY ? "Collapse all" : "Expand all"}
          </Button>
        )}
        <CopyButton what={label} text={() => jsonText(value)} />
      </div>
      <ol aria-label={label} className="pt-1 font-mono text-[0.93rem] leading-relaxed">
        {lines.map((line) => (
          <Line
            key={line.path}
            line={line}
            onToggle={() => setToggled(withToggled(toggled, line.path))}
          />
        ))}
      </ol>
      {hasMore && (
        <Button size="small" className="mt-1" onClick={() => setLimit(limit + PAGE_LINES)}>
          Show {PAGE_LINES} more lines
        </Button>
      )}
    </div>
  );
}

function Line({ line, onToggle }: { readonly line: JsonLine; readonly onToggle: () => void }) {
  const { key, depth, size, value, isOpen } = line;
  const isFirst = key === null;
  const indent = { paddingLeft: `${Math.min(depth, MAX_INDENT) * 1.1}rem` };
  if (size === null || size === 0) {
    return (
      <li style={indent} className={isFirst ? "pr-28" : undefined}>
        <span className="flex min-h-[24px] min-w-0 flex-wrap items-baseline gap-x-2 pl-4.5">
          <Key name={key} />
          <Leaf value={value} />
        </span>
      </li>
    );
  }
  return (
    <li style={indent} className={isFirst ? "pr-28" : undefined}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-[24px] max-w-full min-w-0 items-center gap-1 rounded text-left hover:bg-sunken"
      >
        {isOpen ? (
          <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-soft" />
        ) : (
          <ChevronRight size={14} aria-hidden className="shrink-0 text-ink-soft" />
        )}
        <Key name={key} />
        <span className="ml-1 shrink-0 text-ink-soft">{sizeText(value, size)}</span>
      </button>
    </li>
  );
}

function Key({ name }: { readonly name: string | number | null }) {
  if (name === null) return null;
  return (
    <span className={typeof name === "number" ? "shrink-0 text-ink-soft" : "min-w-0 break-all"}>
      <bdi>{name === "" ? '""' : name}</bdi>
      <span className="text-ink-soft">:</span>
    </span>
  );
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === "string") {
    const text = stringText(value);
    return (
      <bdi
        className="flex-1 text-success"
        // Beside a long key the text would not fit: it wraps below.
        style={{ minWidth: `min(100%, ${Math.min(text.length, BESIDE_KEY)}ch)` }}
      >
        <LongText text={text} />
      </bdi>
    );
  }
  if (typeof value === "object" && value !== null) {
    return <span className="text-ink-soft">{Array.isArray(value) ? "[]" : "{}"}</span>;
  }
  if (typeof value === "number") {
    const why = isRounded(value) ? "Rounded. Download the trace for all digits." : undefined;
    return (
      <span title={why} className="text-accent">
        {numberText(value)}
      </span>
    );
  }
  const isEmpty = value === null || value === undefined;
  return <span className={isEmpty ? "text-ink-soft" : "text-accent"}>{String(value)}</span>;
}

function sizeText(value: unknown, size: number): string {
  const [open, close, one] = Array.isArray(value) ? ["[", "]", "item"] : ["{", "}", "key"];
  return `${open} ${size.toLocaleString("en")} ${one}${size === 1 ? "" : "s"} ${close}`;
}

function withToggled(toggled: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const next = new Set(toggled);
  if (!next.delete(path)) next.add(path);
  return next;
}
