"""The demo: `python -m infra.local.demo`."""
