// The page asks; a worker has Python and checks, so that the page answers meanwhile.
const PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/";
const WORKER = `
import { loadPyodide } from "${PYODIDE}pyodide.mjs";
const ready = (async () => {
  const python = await loadPyodide();
  await python.loadPackage(["micropip", "libcst"]);
  await python.pyimport("micropip").install("autograd-lint");
  return python.runPython(\`
import contextlib, io, pathlib
from autograd_lint.cli import app

def check(code):
    pathlib.Path("program.py").write_text(code)
    output = io.StringIO()
    options = ["check", "program.py", "--isolated", "--no-cache", "--color", "never"]
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            app(options, prog_name="autograd-lint")
        except SystemExit:
            pass
    return output.getvalue()

check\`);
})();
onmessage = async ({ data }) => {
  try {
    postMessage({ output: (await ready)(data) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
`;

const part = (name) => document.getElementById(`playground-${name}`);
let worker;

function start() {
  const source = new Blob([WORKER], { type: "text/javascript" });
  worker = new Worker(URL.createObjectURL(source), { type: "module" });
  worker.onmessage = ({ data }) => (data.error ? fail(data.error) : show(data.output, ""));
  worker.onerror = () => fail("Pyodide could not be loaded");
}

function fail(reason) {
  worker.terminate();
  worker = undefined;
  show(reason, "That did not work. The next try begins anew.");
}

function show(output, state) {
  part("output").textContent = output;
  part("state").textContent = state;
  part("check").disabled = false;
}

part("check").addEventListener("click", () => {
  if (!worker) start();
  part("check").disabled = true;
  part("state").textContent = "checking …";
  worker.postMessage(part("code").value);
});
