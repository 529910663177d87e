import { ClientError, createClient } from "@agate/sdk/client";
import type { app } from "./workflow.ts";

/** Calls every route of the workflow, and gives what came back. */
export async function call(url: string) {
  const client = createClient<typeof app>(url);
  const text = "one two three";
  const { data, trace } = await client.summarize({ text }, { config: { tone: "loud" } }).answer;
  const chunks: string[] = [];
  for await (const chunk of client.spell({ text: "abc" }, { config: {} })) chunks.push(chunk);

  const ticket = { ticket: "help" };
  const classified: string = await client.tickets.classify(ticket, { config: { urgent: true } });
  const closed: string = await client.tickets.close(ticket, { config: {} });

  const at: string = (await client.moment(undefined, { config: {} })).at;
  const summary: string = data.summary;
  const children = trace?.children?.map(({ name, spankind }) => `${spankind} ${name}`) ?? [];
  const refused = await refusal(client.summarize);
  return { summary, model: data.model, children, chunks, classified, closed, at, refused };
}

async function refusal(
  summarize: (
    input: { text: string },
    options: { config: { words: number } },
  ) => PromiseLike<unknown>,
): Promise<unknown> {
  try {
    return await summarize({ text: "" }, { config: { words: 9 } });
  } catch (error) {
    return error instanceof ClientError ? error.status : error;
  }
}
