import { isSameJson, shownValue } from "@agate/protocol";
import type { ConfigValues } from "../../config-form/config-values.ts";
import { classNames } from "../../design/class-names.ts";

interface ConfigDifferencesProps {
  /** In which any of the columns differs from another. */
  readonly fields: readonly string[];
  readonly values: ConfigValues;
  /** Of the first column; what is not the same is marked. */
  readonly first: ConfigValues;
}

/** The fields of a column that are not the same in all of them. */
export function ConfigDifferences({ fields, values, first }: ConfigDifferencesProps) {
  if (fields.length === 0) {
    return <p className="text-[0.93rem] text-ink-soft">The same configuration in every column.</p>;
  }
  return (
    <dl aria-label="Fields that differ" className="flex flex-col rounded-md border border-line">
      {fields.map((field) => {
        const isDifferent = !isSameJson(values[field], first[field]);
        const text = shownValue(values[field]);
        return (
          <div
            key={field}
            className="flex min-w-0 items-baseline gap-2 border-line px-2.5 py-1 not-first:border-t"
          >
            <dt className="shrink-0 font-mono text-[0.93rem] text-ink-soft">{field}</dt>
            <dd
              title={text}
              className={classNames(
                "ml-auto truncate font-mono text-[0.93rem]",
                isDifferent && "rounded bg-accent-soft px-1 font-medium text-accent",
              )}
            >
              {text}
              {isDifferent && <span className="sr-only"> (differs from the first column)</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
