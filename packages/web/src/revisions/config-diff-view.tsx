import type { ApplicationSchema, ConfigDiff } from "@agate/protocol";
import { Equal } from "lucide-react";
import { expandedDiff } from "./field-change.ts";
import { FieldDiffView } from "./field-diff-view.tsx";

interface ConfigDiffViewProps {
  readonly diff: ConfigDiff;
  /** Knows the defaults, which hold where a field is not said. */
  readonly schema?: ApplicationSchema | null | undefined;
}

/** How two configurations differ, route by route and field by field. */
export function ConfigDiffView({ diff, schema }: ConfigDiffViewProps) {
  if (diff.routes.length === 0) {
    return (
      <p className="flex items-center gap-2 rounded-md bg-sunken px-3 py-2 text-ink-soft">
        <Equal size={16} aria-hidden className="shrink-0" />
        The same configuration: no field of any route differs.
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {diff.routes.map(({ route, fields }) => {
        const config = schema?.routes.find((known) => known.route === route)?.config ?? {};
        return (
          <section key={route} aria-label={`Changes in ${route}`} className="min-w-0">
            <p className="mb-1 font-mono text-[0.93rem] font-medium break-all text-ink-soft">
              {route}
            </p>
            <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
              {fields
                .flatMap((field) => expandedDiff(field, config))
                .map((field) => (
                  <li key={field.field} className="px-3 py-2">
                    <FieldDiffView
                      diff={field}
                      schema={Object.hasOwn(config, field.field) ? config[field.field] : undefined}
                    />
                  </li>
                ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}
