import type { RouteParams, RouteSchema } from "@agate/protocol";
import { ownField } from "../../config-form/config-values.ts";
import type { ReadyColumn } from "../columns/column-view.ts";
import { changedFields } from "../state/changed-fields.ts";
import { committedParams } from "./committed-params.ts";

/**
 * The parameters of a column as they would be committed. Fields that the base leaves to their defaults
 * stay so, unless the draft changes them; what is made from nothing but defaults says them all, so
 * that it stays as it is when the code's defaults change.
 */
export function draftParams(
  routes: readonly RouteSchema[],
  route: string,
  { base, params, baseValues, values }: ReadyColumn,
): RouteParams {
  const isNew = base === null || base.revision === 0;
  const stored = isNew ? values : (ownField(params, route) ?? {});
  const changes = changedFields(baseValues, values);
  return committedParams(routes, params, route, { ...stored, ...changes });
}
