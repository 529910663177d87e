import type { ParsedAddress } from "@agate/platform/options";
import { WrongUsage } from "./client/failures.ts";

/**
 * Reads an argument that is the address of a database, or `env:VARIABLE` that has one.
 *
 * @throws WrongUsage that does not repeat the address: it may have a password in it.
 */
export function readAddress<Address>(
  argument: string,
  text: string,
  parse: (text: string) => ParsedAddress<Address>,
): Address {
  const [, variable] = /^env:(\w+)$/.exec(text) ?? [];
  const place = variable === undefined ? argument : `$${variable}`;
  const address = variable === undefined ? text : process.env[variable];
  if (address === undefined) throw new WrongUsage(`${place} is not set`);
  const parsed = parse(address);
  if (parsed.kind === "parsed") return parsed.address;
  throw new WrongUsage(`the address in ${place} cannot be used. ${parsed.reason}`);
}
