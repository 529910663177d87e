import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { classNames } from "../design/class-names.ts";
import { type FieldProblem, problemsAt } from "./field-problem.ts";
import { ProblemLine } from "./problem-line.tsx";

/** All problems in one text, each with its path. */
export function allText(problems: readonly FieldProblem[]): string | undefined {
  return problemsAt(
    problems.map(({ path, message }) => ({ path: ["field", ...path], message })),
    "field",
  );
}

interface CompositeFieldProps {
  readonly heading: ReactNode;
  readonly description: string | undefined;
  readonly problems: readonly FieldProblem[];
  readonly aside: ReactNode;
  readonly isEmpty: boolean;
  readonly children: ReactNode;
}

/** A field with fields inside, collapsible unless one of them is invalid. */
export function CompositeField(props: CompositeFieldProps) {
  const { heading, description, problems, aside, isEmpty, children } = props;
  const id = useId();
  const [isCollapsed, setCollapsed] = useState(false);
  const isOpen = !isEmpty && (!isCollapsed || problems.length > 0);
  const own = problems.filter(({ path }) => path.length === 0);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend cannot stand beside the switch.
    <div
      role="group"
      aria-labelledby={id}
      aria-describedby={own.length > 0 ? `${id}-problem` : undefined}
      className="flex min-w-0 flex-col gap-1"
    >
      <div className="flex min-h-7 items-center gap-2">
        {isEmpty ? (
          <span id={id} className="min-w-0 flex-1 font-medium wrap-anywhere">
            {heading}
          </span>
        ) : (
          <button
            type="button"
            aria-expanded={isOpen}
            disabled={problems.length > 0}
            onClick={() => setCollapsed(!isCollapsed)}
            className="-ml-1 flex min-w-0 flex-1 items-center gap-1 rounded text-left font-medium"
          >
            <ChevronRight
              size={15}
              aria-hidden
              className={classNames(
                "shrink-0 text-ink-soft transition-transform",
                isOpen && "rotate-90",
              )}
            />
            <span id={id} className="min-w-0 wrap-anywhere">
              {heading}
            </span>
          </button>
        )}
        {aside}
      </div>
      {description !== undefined && <p className="text-[0.93rem] text-ink-soft">{description}</p>}
      <ProblemLine id={`${id}-problem`} text={own.length > 0 ? allText(own) : undefined} />
      {isOpen && <div className="ml-1.5 border-l border-line pl-3">{children}</div>}
    </div>
  );
}
