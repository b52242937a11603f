from __future__ import annotations

from tests.host.driver import Driver


def test_probe(driver_of_ready: Driver) -> None:
    d = driver_of_ready
    op = d.run("/api/clusters/ready/drift")
    print([(s["name"], s["status"], s["message"], s["error"]) for s in op["stages"]])
    print(op["status"], op["error"])
    print(d.get("/api/clusters/ready/drift"))
    print([c for c in d.get("/api/clusters/ready")["conditions"]])
    assert 0
