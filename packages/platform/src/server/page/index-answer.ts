import { randomBytes } from "node:crypto";
import { FIRST_ANSWERS_ID, LATE_PARTS_ID } from "@agate/protocol";
import type { FullAnswer } from "../answer.ts";
import { pathOf } from "../log/request-log.ts";
import type { FirstContent } from "./first-content.ts";
import type { BuiltIndex } from "./page-files.ts";
import {
  FIRST_ANSWERS_PLACE,
  FIRST_ROWS_PLACE,
  NONCE_PLACE,
  PARTS_PLACE,
} from "./page-manifest.ts";

export const HTML = "text/html; charset=utf-8";

const PLACES = new RegExp(
  [NONCE_PLACE, PARTS_PLACE, FIRST_ROWS_PLACE, FIRST_ANSWERS_PLACE].join("|"),
  "g",
);

/**
 * The page's document.
 *
 * @param target What is opened: the document names the scripts of that page, so that they are loaded at once, or
 *   right after the first rows.
 * @param first What is put into the document.
 */
export function indexAnswer(
  { html, parts, entryParts, inlineScripts }: BuiltIndex,
  target = "",
  first: FirstContent | null = null,
): FullAnswer {
  const nonce = newNonce();
  const path = pathOf(target);
  const own = parts[path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path] ?? [];
  const links = [...entryParts, ...own]
    .map((name) => `<link rel="modulepreload" crossorigin href="/assets/${name}">`)
    .join("");
  const rows = first?.rows ?? "";
  const late = rows === "" ? "" : `<template id="${LATE_PARTS_ID}">${links}</template>`;
  const data =
    first === null
      ? ""
      : `<script id="${FIRST_ANSWERS_ID}" type="application/json">${withoutMarkup(first.answers)}</script>`;
  const content = {
    [NONCE_PLACE]: nonce,
    [PARTS_PLACE]: rows === "" ? links : "",
    [FIRST_ROWS_PLACE]: rows + late,
    [FIRST_ANSWERS_PLACE]: data,
  };
  return {
    kind: "full",
    status: 200,
    contentType: HTML,
    isDocument: true,
    // All at once, and by a function: recorded texts may have the name of a place in them, or a `$`.
    body: html.replace(PLACES, (place) => content[place as keyof typeof content]),
    headers: {
      "cache-control": "no-store",
      "content-security-policy": pagePolicy(nonce, inlineScripts),
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
    },
  };
}

/** In JSON, `<` is in strings alone: recorded texts must not end the element that they are in. */
function withoutMarkup(json: string): string {
  return json.replaceAll("<", "\\u003c");
}

/** Marks the page's own style elements. Unpredictable: each answer has a new one. */
function newNonce(): string {
  return randomBytes(16).toString("base64url");
}

/**
 * What the page may load and run: what this server serves, and the scripts that were built into the
 * document, by their hashes. Trusted types make a script that would turn text into markup fail.
 */
function pagePolicy(nonce: string, inlineScripts: readonly string[]): string {
  const hashes = inlineScripts.map((hash) => ` '${hash}'`).join("");
  return [
    "default-src 'none'",
    `script-src 'self'${hashes}`,
    // The page's own style sheet; the editor and the menus make style elements.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    // Forms are sent by scripts.
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
