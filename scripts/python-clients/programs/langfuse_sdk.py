import os

from questions import AGATE_URL, MODEL, ask_overloaded, ask, ask_with_tool, openai_client

os.environ |= {
    "LANGFUSE_HOST": AGATE_URL,
    "LANGFUSE_BASE_URL": AGATE_URL,
    "LANGFUSE_PUBLIC_KEY": "pk-lf-1",
    "LANGFUSE_SECRET_KEY": "sk-lf-1",
}

from langfuse import get_client, observe, propagate_attributes
from langfuse.openai import OpenAI

langfuse = get_client()
client = openai_client(OpenAI)


@observe()
def answer(question: str):
    with propagate_attributes(user_id="u-1", session_id="s-1"):
        return ask(client)


@observe(as_type="retriever")
def fail():
    langfuse.update_current_span(level="ERROR", status_message="The index is gone.")


answer("What is agate?")
ask_with_tool(client)
ask_overloaded(client)
fail()
with langfuse.start_as_current_observation(as_type="embedding", name="embed", model=MODEL) as span:
    span.update(input="agate", output=[0.5], usage_details={"input": 8})
langfuse.flush()
