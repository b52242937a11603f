"""The demo of an agent: `python -m infra.local.demo_agent`."""
