// Compiles Python files with the bytecode of Lambda's Python, the same on every machine: Pyodide is that Python for
// WebAssembly. `node compile.mjs <packages> <sources> <compiled> <place>`: each source that lies at `place` on Lambda
// gets its file in `__pycache__`, which is never checked against the source, for the two are of one archive.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [packages, sources, compiled, place] = process.argv.slice(2);
const found = createRequire(`${packages}/package.json`).resolve("pyodide/pyodide.mjs");
const { loadPyodide } = await import(pathToFileURL(found));
// The order of a constant set is that of its hashes.
const python = await loadPyodide({ env: { HOME: "/", PYTHONHASHSEED: "0" } });
for (const [point, root] of [["/sources", sources], ["/compiled", compiled]]) {
  python.FS.mkdirTree(point);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, point);
}
python.globals.set("place", place);
python.runPython(`
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import cache_from_source, source_hash
from pathlib import Path

for path in sorted(Path("/sources").rglob("*.py")):
    name, source = path.relative_to("/sources"), path.read_bytes()
    code = compile(source, f"{place}/{name}", "exec", dont_inherit=True, optimize=0)
    target = Path(cache_from_source(str(Path("/compiled") / name)))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(_code_to_hash_pyc(code, source_hash(source), False))
`);
