import type { ReactNode } from "react";
import { LongText } from "../value-view/long-text.tsx";

/** A titled section of the span details. */
export function DetailSection({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="min-w-0 border-b border-line px-4 py-3 last:border-b-0">
      <h3 className="mb-1.5 text-xs font-semibold text-ink-soft">{title}</h3>
      {children}
    </div>
  );
}

/** A list of names and values; unknown values are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1">
      {facts.map(
        ([name, value]) =>
          value !== null &&
          value !== undefined && (
            <div key={name} className="contents">
              <dt className="text-ink-soft">{name}</dt>
              <dd className="min-w-0 break-words tabular-nums">
                {typeof value === "string" ? <LongText text={value} /> : value}
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
