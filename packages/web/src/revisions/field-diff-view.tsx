import type { ConfigFieldSchema, FieldDiff } from "@agate/protocol";
import { ArrowRight } from "lucide-react";
import { Badge } from "../design/badge.tsx";
import { TextDiff } from "../text-diff/text-diff.tsx";
import { type FieldSide, fieldChange } from "./field-change.ts";

interface FieldDiffViewProps {
  readonly diff: FieldDiff;
  readonly schema: ConfigFieldSchema | undefined;
}

/** What becomes of one field: short values as old → new, long texts word by word. */
export function FieldDiffView({ diff, schema }: FieldDiffViewProps) {
  const { from, to, hasNoEffect, texts } = fieldChange(diff, schema);
  const name = (
    <span className="flex min-w-0 items-center gap-2">
      <span className="font-medium break-all">{diff.field}</span>
      {/* Of a field that is on both sides, the arrow says enough. */}
      {diff.change !== "changed" && <Badge>{diff.change}</Badge>}
    </span>
  );
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {texts === null ? (
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          {name}
          <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <Before side={from} />
            <ArrowRight size={14} role="img" aria-label="becomes" className="text-ink-soft" />
            <After side={to} />
          </span>
        </div>
      ) : (
        <TextDiff from={texts.from} to={texts.to} heading={name} isFolded />
      )}
      {texts !== null && (from.isDefault || to.isDefault) && (
        <p className="text-[0.93rem] text-ink-soft">
          {from.isDefault ? "The text before was the default." : "The text after is the default."}
        </p>
      )}
      {hasNoEffect && (
        <p className="text-[0.93rem] text-ink-soft">
          Both are the same value: what runs does not change.
        </p>
      )}
    </div>
  );
}

const VALUE_CLASS = "min-w-0 font-mono text-[0.93rem] break-words whitespace-pre-wrap";

function Before({ side: { value, isDefault } }: { readonly side: FieldSide }) {
  if (value === undefined) return <NotSet />;
  return (
    <span className="min-w-0 text-ink-soft">
      {isDefault && "was the default "}
      <del className={VALUE_CLASS}>{JSON.stringify(value)}</del>
    </span>
  );
}

function After({ side: { value, isDefault } }: { readonly side: FieldSide }) {
  if (value === undefined) return <NotSet />;
  return (
    <span className="min-w-0">
      {isDefault && <span className="text-ink-soft">the default </span>}
      <ins className={`${VALUE_CLASS} no-underline`}>{JSON.stringify(value)}</ins>
    </span>
  );
}

function NotSet() {
  return <span className="text-ink-soft italic">not set</span>;
}
