// What must not compile: were a type of the SDK lost, nothing here would be an error.
import * as ag from "@agate/sdk";
import { createClient } from "@agate/sdk/client";
import { type app, SummarizeConfig, summarize } from "./workflow.ts";

// @ts-expect-error: a field has a default.
ag.Field(ag.str, {});
// @ts-expect-error: a choice is one of its own.
export const tone: "shrill" = new SummarizeConfig().tone;
// @ts-expect-error: the input has a text.
void summarize({ words: "…" });

const client = createClient<typeof app>("http://127.0.0.1:4101");
// @ts-expect-error: the input has to be given.
void client.summarize();
// @ts-expect-error: a Date arrives as a text.
export const at: Date = (await client.moment()).at;
// @ts-expect-error: there is no such route.
void client.translate;
// @ts-expect-error: a ticket is a text.
void client.tickets.close({ ticket: 7 });
// @ts-expect-error: whether it is urgent is no text.
void client.tickets.close({ ticket: "" }, { config: { urgent: "yes" } });
// @ts-expect-error: a number is not a tone.
void client.summarize({ text: "" }, { config: { tone: 1 } });
// @ts-expect-error: the model is a text.
export const model: number = (await client.summarize({ text: "" })).model;
