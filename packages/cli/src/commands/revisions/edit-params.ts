import type { RouteParams } from "@agate/protocol";
import { InvalidArgumentError } from "commander";
import { parseValue } from "../client/option-values.ts";

/** One change to a configuration: `value` undefined takes the field out, so that it has its default. */
export interface ParamEdit {
  readonly route: string;
  readonly field: string;
  readonly value: unknown;
}

/** @example collectSetting("/summarize.temperature=0.2") // [{ route: "/summarize", field: "temperature", value: 0.2 }] */
export function collectSetting(
  text: string,
  before: readonly ParamEdit[] = [],
): readonly ParamEdit[] {
  const at = text.indexOf("=");
  const place = parsePlace(at < 0 ? "" : text.slice(0, at));
  if (place === undefined) {
    throw new InvalidArgumentError(
      "Write it as /route.field=value; the entrypoint's fields as /.field=value.",
    );
  }
  return [...before, { ...place, value: parseValue(text.slice(at + 1)) }];
}

/** @example collectRemoval("/summarize.temperature") */
export function collectRemoval(
  text: string,
  before: readonly ParamEdit[] = [],
): readonly ParamEdit[] {
  const place = parsePlace(text);
  if (place === undefined) {
    throw new InvalidArgumentError("Write it as /route.field; the entrypoint's fields as /.field.");
  }
  return [...before, { ...place, value: undefined }];
}

/** A route's path may have dots, a field's name has none. */
function parsePlace(text: string): { route: string; field: string } | undefined {
  const [, route, field] = /^(\/.*)\.([^.]+)$/.exec(text) ?? [];
  return route === undefined || field === undefined ? undefined : { route, field };
}

/** The parameters with these changes. Names are data: `__proto__` is one like any other. */
export function editParams(params: RouteParams, edits: readonly ParamEdit[]): RouteParams {
  const routes = new Map(
    Object.entries(params).map(([route, config]) => [route, new Map(Object.entries(config))]),
  );
  for (const { route, field, value } of edits) {
    const config = routes.get(route) ?? new Map<string, unknown>();
    if (value === undefined) config.delete(field);
    else config.set(field, value);
    routes.set(route, config);
  }
  return Object.fromEntries(
    [...routes].map(([route, config]) => [route, Object.fromEntries(config)]),
  );
}
