import * as ag from "@agate/sdk";
import { answer } from "./answer.ts";
import { embed } from "./embed.ts";
import { retrieve } from "./retrieve.ts";
import { summarize } from "./summarize.ts";

ag.init({ application: "quickstart" });

/** For `createClient<typeof app>`, and for runtimes that serve what a module exports. */
export const app = ag.app(embed, retrieve, summarize, answer);

if (process.argv[1] === import.meta.filename) {
  const { url } = await ag.serve();
  // Under `agate dev` it is a socket in the file system, and the platform says where to call it.
  if (url.startsWith("http")) console.log(`The quickstart is running at ${url}`);
}
