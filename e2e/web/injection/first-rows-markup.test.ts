// The first rows are markup that the server writes out of recorded texts. A browser must read these texts back,
// and nothing else.
import fc from "fast-check";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ListedSpan, SpanStatus } from "../../../packages/protocol/src/index.ts";
import { SPAN_STATUSES } from "../../../packages/protocol/src/index.ts";
import { scoreOf } from "../../../packages/web/src/api/score.fixture.ts";
import { element, text } from "../../../packages/web/src/first-rows/markup.ts";
import { writeFirstRows } from "../../../packages/web/src/first-rows/write-first-rows.ts";
import { shownName } from "../../../packages/web/src/spans/shown-name.ts";
import { spanRecord } from "../../../packages/web/src/trace-view/span-record.fixture.ts";
import { openBrowser } from "../open-browser.ts";

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  page = await browser.newPage();
});
afterAll(() => browser.close());

/** Texts as an attacker would write them, and any others. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...["<", ">", '"', "'", "`", "&", "=", "/", "\0", "\r", "\n", "\t", "\u2028", "\ud800"],
        ...["<script>hit()</script>", "</a>", "</bdi>", "</p></div>", "</noscript>", "</template>"],
        ...["<!--", "-->", "<![CDATA[", "]]>", "</script>", "<svg onload=hit()>", "<plaintext>"],
        ...[
          '" onmouseover="hit()',
          "' autofocus onfocus=hit() '",
          "javascript:hit()",
          "&lt;",
          "&#60",
        ],
        ...[
          "&quot;",
          "&amp;lt;",
          "<img src=x onerror=hit()>",
          "<!-- first answers -->",
          "$&",
          "$'",
        ],
      ),
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));

/** As a document in UTF-8 has it. HTML has no NUL. */
const readBack = (content: string) => content.toWellFormed().replaceAll("\0", "\uFFFD");

it("reads texts and attribute values back as they were recorded", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 20, maxLength: 60 }), async (contents) => {
      const markup = contents.map((content) =>
        element("p", content, [text(content)], { href: content, "data-x": content }),
      );
      const found = await page.evaluate(
        (all) =>
          all.map((html) => {
            const { head, body } = new DOMParser().parseFromString(html, "text/html");
            const [only] = body.children;
            const names = only?.getAttributeNames().filter((name) => name !== "class");
            const values = names?.map((name) => only?.getAttribute(name));
            const count = head.childNodes.length + body.querySelectorAll("*").length;
            return [count, body.textContent, names, values, only?.getAttribute("class") ?? ""];
          }),
        markup.map((html) => html.toWellFormed()),
      );
      const expected = contents.map(readBack).map((content) => {
        return [1, content, ["href", "data-x"], [content, content], content];
      });
      expect(found).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});

it("has no element and no attribute in the rows that a record could add", async () => {
  const record = fc.record({
    name: hostile,
    input: hostile,
    output: hostile,
    message: hostile,
    word: hostile,
    status: fc.constantFrom(...SPAN_STATUSES),
    isOld: fc.boolean(),
    search: fc.constantFrom("", "?project=a&live=on", '?project="><script>hit()</script>'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 10, maxLength: 30 }), async (records) => {
      const now = Date.parse("2026-11-18T12:00:00Z");
      const written = records.map(({ search, ...given }) =>
        writeFirstRows([listed(given)], { search, now }),
      );
      const found = await page.evaluate(
        (all) =>
          all.map((html) => {
            const { head, body } = new DOMParser().parseFromString(html, "text/html");
            const elements = [...body.querySelectorAll("*")];
            return {
              foreign: head.childNodes.length,
              names: [...new Set(elements.map(({ localName }) => localName))],
              attributes: [...new Set(elements.flatMap((each) => each.getAttributeNames()))],
              links: [...body.querySelectorAll("[data-first-row] a")].map((link) => [
                link.textContent,
                new URL(link.getAttribute("href") ?? "", "http://page").pathname,
              ]),
            };
          }),
        written.map((html) => html.toWellFormed()),
      );
      for (const [n, { foreign, names, attributes, links }] of found.entries()) {
        expect(foreign).toBe(0);
        expect(["a", "bdi", "div", "noscript", "p", "span", "time"]).toEqual(
          expect.arrayContaining(names),
        );
        expect([
          ...["aria-current", "aria-hidden", "class", "data-first-column", "data-first-line"],
          ...["data-first-row", "datetime", "dir", "href", "tabindex"],
        ]).toEqual(expect.arrayContaining(attributes));
        expect(links).toEqual([[shownName(records[n]?.name ?? ""), `/traces/${TRACE_ID}`]]);
      }
    }),
    { numRuns: 15 },
  );
});

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

/** A listed trace with these texts in every place that a row shows. */
function listed(given: {
  readonly name: string;
  readonly input: string;
  readonly output: string;
  readonly message: string;
  readonly word: string;
  readonly status: SpanStatus;
  readonly isOld: boolean;
}): ListedSpan {
  const { name, input, output, message, word, status, isOld } = given;
  return spanRecord({
    id: "b7ad6b7169203331",
    name,
    record: {
      created_at: isOld ? "2024-01-01T00:00:00.000000Z" : "2026-11-18T11:00:00.000000Z",
      variant: { variant_id: null, variant_name: word, revision: 1 },
      environment: word,
      status,
      trace_id: TRACE_ID,
      user_id: word,
      content: { inputs: input, internals: null, outputs: output },
    },
    metadata: {
      latency: 1,
      session_id: word,
      application: word,
      status_message: message,
      attributes: { "ag.route": word },
      scores: [scoreOf({ name: word, value: null, label: word })],
      failed_spans: 2,
    },
  });
}
