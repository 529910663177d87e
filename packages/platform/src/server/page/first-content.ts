import { FIRST_TRACES, type FirstAnswers, type WriteFirstRows } from "@agate/protocol";
import type { AccessControl } from "../../access/access-control.ts";
import { may } from "../../access/caller.ts";
import type { Projects } from "../../registry/registry.ts";
import type { SpanStore } from "../../stores/span-store.ts";
import { encodeCursor } from "../../traces/read-page.ts";
import { CALLER, identify, type Sender } from "../admit.ts";
import { toSpanFilter } from "../inputs/span-filter.ts";
import { sessionOf } from "../routes/access/sessions.ts";

export interface FirstContentSources {
  readonly control: AccessControl;
  readonly projects: Projects;
  readonly store: Pick<SpanStore, "listTraces">;
}

/** A list of longer records has fewer of them: the document must not take long to arrive. */
export const MOST_BYTES = 128 * 1024;

const TRACES_PATH = /^\/traces\/?$/;
/** Parameters of the list's address that leave it the newest of all traces. */
const PLAIN_PARAMETERS = new Set(["project", "live"]);

/** What the document has in it, so that it need not be asked for. */
export interface FirstContent {
  /** What the page would ask for first, as JSON of `FirstAnswers`. */
  readonly answers: string;
  /** The newest traces as HTML. */
  readonly rows: string;
}

/**
 * What a document shows; null where the sender is not known, or nothing was read before the signal fired. The page
 * asks for it then, and learns what is wrong.
 *
 * @param loadWriter Called where there is a list.
 */
export async function firstContent(
  sources: FirstContentSources,
  loadWriter: () => Promise<WriteFirstRows>,
  incoming: Sender & { readonly url?: string | undefined },
  enough: AbortSignal,
): Promise<FirstContent | null> {
  const url = URL.parse(incoming.url ?? "", "http://page");
  if (url === null) return null;
  const { method, headers } = incoming;
  const project = url.searchParams.getAll("project").at(-1);
  const sender: Sender = { method, headers: { ...headers, "agate-project": project } };
  const admission = identify(sources.control, sender);
  // A link of another site brings no cookie along: the page's own request, which does, tells who is signed in.
  if (admission.kind === "rejected") return null;
  const { caller } = admission;
  incoming[CALLER] = caller;
  const isList = TRACES_PATH.test(url.pathname) && isPlain(url.searchParams);
  const read = async () => {
    const [session, traces] = await Promise.all([
      sessionOf(caller, sources.projects),
      isList && may(caller, "read") ? newestTraces(sources.store, caller.project, enough) : "null",
    ]);
    const answers = `{"session":${JSON.stringify(session)},"traces":${traces}}`;
    const { items = [] } = (JSON.parse(answers) as FirstAnswers).traces ?? {};
    if (items.length === 0) return { answers, rows: "" };
    const write = await loadWriter();
    return { answers, rows: write(items, { search: url.search, now: Date.now() }) };
  };
  return Promise.race([read(), fired(enough)]).catch(() => null);
}

function isPlain(parameters: URLSearchParams): boolean {
  return [...parameters.keys()].every((name) => PLAIN_PARAMETERS.has(name));
}

async function newestTraces(
  store: Pick<SpanStore, "listTraces">,
  project: string,
  signal: AbortSignal,
): Promise<string> {
  const { items, next } = await store.listTraces(
    {
      project,
      filter: toSpanFilter({}),
      content: "preview",
      after: null,
      limit: FIRST_TRACES,
      maxBytes: MOST_BYTES,
    },
    signal,
  );
  const cursor = next === null ? null : encodeCursor(next);
  return `{"items":[${items.join(",")}],"next_cursor":${JSON.stringify(cursor)}}`;
}

function fired(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", () => resolve(null), { once: true });
  });
}
