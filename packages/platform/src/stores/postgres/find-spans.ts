import { parseSearch } from "../search/search-text.ts";
import { dateText } from "./day.ts";
import type { SearchPlan } from "./list-sql.ts";
import { toSearchQuery } from "./search-vector.ts";
import type { SqlRunner } from "./span-database.ts";

/** So many spans are looked up and sorted in some tens of milliseconds. */
const FEW = 10_000;

/**
 * Plans a search. With few matches they are looked up and sorted; with many, the list is walked in
 * order and each row asked whether it matches.
 *
 * @returns undefined when nothing can match: there is no word in the text.
 */
export async function planSearch(
  runner: SqlRunner,
  text: string | undefined,
): Promise<SearchPlan | undefined> {
  if (text === undefined) return null;
  const terms = parseSearch(text);
  if (terms.length === 0) return undefined;
  const query = toSearchQuery(terms);
  const inParts = query.parts.map(
    (_, n) => `SELECT day, span_no FROM agate.long_texts WHERE words @@ $${n + 3}::tsquery`,
  );
  const found = await runner.query<{ day: number; span_no: number }>(
    `SELECT day, span_no FROM (
       SELECT day, span_no FROM agate.texts WHERE words @@ $1::tsquery
       UNION ALL (${inParts.join(" INTERSECT ")})
     ) AS found LIMIT $2`,
    [query.whole, FEW + 1, ...query.parts],
  );
  if (found.length > FEW) return { kind: "many", query };
  const byDay = [...Map.groupBy(found, ({ day }) => day)];
  return {
    kind: "few",
    days: byDay.map(([day]) => dateText(day)),
    spanNos: byDay.map(([, spans]) => `{${spans.map(({ span_no }) => span_no).join()}}`),
  };
}
