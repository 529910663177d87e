import * as ag from "@agate/sdk";
// Version 4's schemas, in 3.25 as well.
import { z } from "zod/v4";

const Input = z.object({ ticket: z.string().min(1) });

export const rate = ag.createApp().route("/rate", {
  config: z.object({ scale: z.number().int().min(1).max(10).default(5) }),
  input: Input,
  output: z.number(),
})(async ({ ticket }, { config }) => Math.min(ticket.length, config.scale));

/** 3: the third letter is the last that counts. */
export const rating: Promise<number> = rate({ ticket: "help" }, { config: { scale: 3 } });
