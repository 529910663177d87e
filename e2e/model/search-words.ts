import type { ModelSpan } from "./model-span.ts";

/** Letters and digits in lower case without accents; Chinese characters are a word each. */
function wordsOf(text: string): string[] {
  const plain = text
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
  return plain.match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? [];
}

/** The words of a span's name and of each of the texts and numbers in its content. */
export function textsOfSpan({ name, inputs, outputs }: ModelSpan): string[][] {
  const texts: string[] = [name];
  const collect = (value: unknown) => {
    if (typeof value === "string" || typeof value === "number") texts.push(String(value));
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  collect(inputs);
  collect(outputs);
  return texts.map(wordsOf);
}

/** Whether all words of a search occur: `"in quotes"` as a phrase, `begin*` as a prefix. */
export function matchesSearch(texts: readonly string[][], q: string): boolean {
  const terms = q.match(/"[^"]*"|[^\s"]+/g) ?? [];
  return terms.length > 0 && terms.every((term) => texts.some((words) => hasTerm(words, term)));
}

function hasTerm(words: readonly string[], term: string): boolean {
  const wanted = wordsOf(term);
  const isPrefix = term.endsWith("*");
  return words.some((_, at) =>
    wanted.every((word, n) => {
      const found = words[at + n] ?? "";
      return isPrefix && n === wanted.length - 1 ? found.startsWith(word) : found === word;
    }),
  );
}
