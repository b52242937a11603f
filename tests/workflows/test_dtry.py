from __future__ import annotations
import json
from tests.host.driver import Driver

def test_it(driver_of_ready: Driver) -> None:
    d=driver_of_ready
    pre=d.send("DELETE","/api/clusters/ready?dry_run=true&delete_bucket=true")
    print(pre.status)
    for c in pre.body["preview"]["changes"]: print(c["action"],c["resource"],"|",c["name"],"|",c["reason"],"|",c["irreversible"])
    print(pre.body["findings"])
    a=d.send("DELETE","/api/clusters/ready?delete_bucket=true&confirm="+pre.body["preview"]["digest"])
    print(a.status)
    op=d.finish(a.body["operation_id"])
    for s in op["stages"]: print(s["name"],s["status"],s["message"],s["started_at"],s["finished_at"])
    print(op["status"],op["error"],op["result"])
    print(d.send("GET","/api/clusters/ready").status)
    assert 0
