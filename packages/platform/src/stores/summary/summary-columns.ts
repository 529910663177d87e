import type { Figures } from "@agate/protocol";
import { totalText } from "@agate/spans/tree";

/** What a trace is searched by beside its top's figures. */
export type Belonging = readonly [
  application: string | null,
  route: string | null,
  variant: string | null,
  revision: number | null,
  environment: string | null,
  userId: string | null,
  sessionId: string | null,
];

const VARIANT = 2;
const REVISION = 3;
const FIELDS = [0, 1, VARIANT, REVISION, 4, 5, 6];
/** Taken from one span: the revision of one variant is none of another's. */
const PARTNERS: Readonly<Record<number, number>> = { [VARIANT]: REVISION, [REVISION]: VARIANT };

/**
 * What a trace belongs to: what its top says and, where that says nothing, the earliest span that
 * does. A web framework's span at the top knows of no session; the call below it may.
 *
 * @param others In the order of their start; read only as far as needed.
 */
export function fillBelonging(top: Belonging, others: Iterable<Belonging>): Belonging {
  let open = openFields(top);
  if (open.length === 0) return top;
  const filled = [...top];
  for (const other of others) {
    const told = open.filter((field) => other[field] !== null);
    if (told.length === 0) continue;
    for (const field of told) filled[field] = other[field] ?? null;
    open = openFields(filled);
    if (open.length === 0) break;
  }
  return filled as unknown as Belonging;
}

/** The fields that another span may fill. */
export function openFields(belonging: readonly unknown[]): number[] {
  return FIELDS.filter(
    (field) => belonging[field] === null && belonging[PARTNERS[field] ?? field] === null,
  );
}

/** What a trace's spans add up to, for its columns: cost, three kinds of tokens, and as it is shown. */
export function totalColumns(total: Figures) {
  return [
    total.cost,
    total.usage?.input_tokens ?? null,
    total.usage?.output_tokens ?? null,
    total.usage?.total_tokens ?? null,
    totalText(total),
  ] as const;
}
