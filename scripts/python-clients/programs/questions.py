"""What every program asks the model: a question, a question with a tool on offer, and one that fails."""

import os

MODEL_URL = os.environ["MODEL_URL"]
AGATE_URL = os.environ["AGATE_URL"]
TRACES_URL = f"{AGATE_URL}/v1/traces"
MODEL = "gpt-4o-mini"
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is agate?"},
]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "find_stone",
            "description": "Finds a stone by its colour.",
            "parameters": {"type": "object", "properties": {"colour": {"type": "string"}}},
        },
    }
]


def openai_client(kind=None):
    import openai

    return (kind or openai.OpenAI)(base_url=MODEL_URL, api_key="none", max_retries=0)


def ask(client):
    completion = client.chat.completions.create(model=MODEL, temperature=0.2, messages=MESSAGES)
    return completion.choices[0].message.content


def ask_with_tool(client):
    messages = [{"role": "user", "content": "Which stone is blue?"}]
    completion = client.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
    return completion.choices[0].message.tool_calls[0].function.name


def ask_responses(client):
    return client.responses.create(
        model=MODEL, instructions="Be brief.", input="What is agate?"
    ).output_text


def ask_overloaded(client):
    try:
        client.chat.completions.create(model="overloaded", messages=MESSAGES)
    except Exception as error:  # Each library wraps it in a class of its own.
        print(f"refused, as it should be: {type(error).__name__}")


def otlp_provider(**resource):
    """A tracer provider of OpenTelemetry's own that exports to Agate, as the global one."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "stones", **resource}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=TRACES_URL)))
    trace.set_tracer_provider(provider)
    return provider
