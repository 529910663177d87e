import { Secrets } from "./secrets.ts";

/** The secrets of this process: whichever app asked for one, none may show it. */
export const processSecrets = new Secrets();
