import type { ApplicationSchema, RouteParams } from "@agate/protocol";
import { classNames } from "../design/class-names.ts";

interface ParamsViewProps {
  readonly params: RouteParams;
  /** For the defaults of fields that are not set. */
  readonly schema?: ApplicationSchema | null | undefined;
}

/** A configuration by route: its values, and the defaults of fields that are not set. */
export function ParamsView({ params, schema }: ParamsViewProps) {
  const routes = [
    ...new Set([...(schema?.routes ?? []).map(({ route }) => route), ...Object.keys(params)]),
  ].sort();
  if (routes.length === 0) return <p className="text-ink-soft">Empty configuration</p>;
  return (
    <div className="flex flex-col gap-4">
      {routes.map((route) => {
        const set = params[route] ?? {};
        const config = schema?.routes.find((known) => known.route === route)?.config ?? {};
        const fields = [...new Set([...Object.keys(config), ...Object.keys(set)])];
        return (
          <section key={route} aria-label={`Configuration of ${route}`} className="min-w-0">
            <p className="mb-1 font-mono text-[0.93rem] font-medium break-all text-ink-soft">
              {route}
            </p>
            {fields.length === 0 ? (
              <p className="text-ink-soft">No fields</p>
            ) : (
              <dl className="divide-y divide-line rounded-lg border border-line bg-surface">
                {fields.map((field) => {
                  const isSet = Object.hasOwn(set, field);
                  return (
                    <div
                      key={field}
                      className="grid gap-x-4 gap-y-0.5 px-3 py-1.5 md:grid-cols-[12rem_1fr]"
                    >
                      <dt className="font-medium break-all">{field}</dt>
                      <dd
                        className={classNames(
                          "min-w-0 font-mono text-[0.93rem] break-words whitespace-pre-wrap",
                          !isSet && "text-ink-soft",
                        )}
                      >
                        <ParamValue value={isSet ? set[field] : config[field]?.default} />
                        {!isSet && <span className="font-sans"> (default)</span>}
                      </dd>
                    </div>
                  );
                })}
              </dl>
            )}
          </section>
        );
      })}
    </div>
  );
}

function ParamValue({ value }: { readonly value: unknown }) {
  if (typeof value === "string" && value !== "") return value;
  return JSON.stringify(value, null, 2);
}
