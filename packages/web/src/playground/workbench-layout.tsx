import type { ReactNode } from "react";
import { classNames } from "../design/class-names.ts";

interface SingleLayoutProps {
  readonly panel: ReactNode;
  /** The test cases. */
  readonly children: ReactNode;
}

/**
 * One configuration beside its test cases; on a phone above them. Each side scrolls on its own and is
 * `relative`: labels for screen readers are positioned absolutely and would otherwise lengthen the page.
 */
export function SingleLayout({ panel, children }: SingleLayoutProps) {
  return (
    <div className="flex min-h-0 flex-1 border-t border-line max-lg:flex-col">
      <div className="relative border-line bg-surface max-lg:border-b lg:w-80 lg:shrink-0 lg:overflow-y-auto lg:border-r xl:w-88">
        {panel}
      </div>
      <div className="relative flex min-w-0 flex-1 flex-col gap-3 p-3 lg:overflow-y-auto lg:p-4">
        {children}
      </div>
    </div>
  );
}

interface CompareLayoutProps {
  readonly columns: readonly { readonly id: number; readonly panel: ReactNode }[];
  readonly rows: readonly {
    readonly id: number;
    readonly card: ReactNode;
    /** The outputs, by column. */
    readonly cells: readonly ReactNode[];
  }[];
  /** Below the last row. */
  readonly foot: ReactNode;
}

/**
 * Configurations side by side, and below them a row of outputs for each test case. Columns that do not
 * fit scroll sideways inside the layout; the inputs stay in view.
 */
export function CompareLayout({ columns, rows, foot }: CompareLayoutProps) {
  const template = `repeat(${columns.length}, minmax(min(22rem, 88cqw), 1fr))`;
  return (
    <div className="@container relative min-h-0 flex-1 snap-x snap-proximity overflow-x-auto border-t border-line lg:overflow-y-auto">
      <div className="grid gap-y-3 pb-4" style={{ gridTemplateColumns: template }}>
        {columns.map(({ id, panel }) => (
          <div
            key={id}
            className="min-w-0 snap-start border-b border-line bg-surface not-first:border-l"
          >
            {panel}
          </div>
        ))}
        {rows.map(({ id, card, cells }) => (
          <section key={id} className="contents">
            <div className="sticky left-0 col-span-full w-[100cqw] justify-self-start px-3">
              {card}
            </div>
            {cells.map((cell, index) => (
              <div
                key={columns[index]?.id}
                className={classNames("min-w-0 pr-3", index === 0 && "pl-3")}
              >
                <div className="rounded-xl border border-line bg-surface">{cell}</div>
              </div>
            ))}
          </section>
        ))}
        <div className="sticky left-0 col-span-full w-[100cqw] justify-self-start px-3">{foot}</div>
      </div>
    </div>
  );
}
