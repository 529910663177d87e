import os

from questions import AGATE_URL, MODEL, MODEL_URL

os.environ |= {"OTEL_EXPORTER_OTLP_ENDPOINT": AGATE_URL, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}

import logfire
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

logfire.configure(send_to_logfire=False, service_name="stones", console=False)
logfire.instrument_pydantic_ai()


def agent_of(model):
    provider = OpenAIProvider(base_url=MODEL_URL, api_key="none")
    return Agent(OpenAIChatModel(model, provider=provider), name="geologist", instructions="Be brief.")


agent = agent_of(MODEL)


@agent.tool_plain
def find_stone(colour: str) -> str:
    """Finds a stone by its colour."""
    return f"{colour} agate"


with logfire.span("answer {question}", question="What is agate?", **{"user.id": "u-1", "session.id": "s-1"}):
    agent.run_sync("Which stone is blue?")
try:
    agent_of("overloaded").run_sync("What is agate?")
except Exception as error:
    print(f"refused, as it should be: {type(error).__name__}")
logfire.shutdown()
