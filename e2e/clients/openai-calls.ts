import type OpenAI from "openai";

/** Calls that the tests of several instrumentations make, as an application would. */
export const MODEL = "gpt-4o-mini";
export const TOOLS: OpenAI.ChatCompletionFunctionTool[] = [
  {
    type: "function",
    function: {
      name: "find_stone",
      description: "Finds a stone by its looks.",
      parameters: { type: "object", properties: { colour: { type: "string" } } },
    },
  },
];

/** Asks with a tool on offer, runs the tool that the model calls, and gives it the result. */
export async function askWithTool(
  client: OpenAI,
  question = "Which stone is blue?",
): Promise<string | null> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: question }];
  const first = await client.chat.completions.create({ model: MODEL, messages, tools: TOOLS });
  const message = first.choices[0]?.message;
  const call = message?.tool_calls?.[0];
  if (message === undefined || call?.type !== "function") throw new Error("No tool was called.");
  const { colour } = JSON.parse(call.function.arguments) as { colour: string };
  const result = JSON.stringify({ stone: `${colour} agate` });
  messages.push(message, { role: "tool", tool_call_id: call.id, content: result });
  const second = await client.chat.completions.create({ model: MODEL, messages, tools: TOOLS });
  return second.choices[0]?.message.content ?? null;
}

/** The text of a streamed answer. */
export async function streamAnswer(
  client: OpenAI,
  options: Partial<OpenAI.ChatCompletionCreateParamsStreaming> = {},
): Promise<string> {
  const stream = await client.chat.completions.create({
    model: MODEL,
    stream: true,
    messages: [{ role: "user", content: "What is agate?" }],
    ...options,
  });
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  return text;
}
