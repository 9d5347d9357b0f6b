"""The recipes of docs/ci.md and docs/registry.md as they stand on the page, with stand-ins for what no test machine has."""

import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import kit
from services_test import yaml_of

HOST = "registry.example.org"


def blocks(page):
    """(heading, kind, text) of every fenced or indented block."""
    heading, out, lines = "", [], iter((kit.ROOT / "docs" / page).read_text().splitlines())
    for line in lines:
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("```"):
            kind, text = line[3:], []
            for inner in lines:
                if inner == "```":
                    break
                text.append(inner)
            out.append((heading, kind, "\n".join(text)))
        elif line.startswith("    ") and line.strip():
            if out and out[-1][:2] == (heading, "line"):
                out[-1] = (heading, "line", out[-1][2] + "\n" + line.strip())
            else:
                out.append((heading, "line", line.strip()))
    return out


def block(page, heading, kind, number=0):
    return [text for of, named, text in blocks(page) if of == heading and named == kind][number]


class Recipes(kit.Workspace):
    @classmethod
    def setUpClass(cls):
        cls.registry = None
        if shutil.which("docker-registry") is None or shutil.which("skopeo") is None:
            return
        cls.data = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.data)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        cls.registry = f"127.0.0.1:{port}"
        config = pathlib.Path(cls.data) / "config.yml"
        config.write_text(f"version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {cls.data}/data}}}}\n"
                          f"http: {{addr: {cls.registry}}}\n")
        with open("/dev/null", "wb") as nowhere:
            server = subprocess.Popen(["docker-registry", "serve", str(config)], stdout=nowhere, stderr=nowhere)
        cls.addClassCleanup(lambda: (server.send_signal(signal.SIGTERM), server.wait()))
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    cls.fill()
                    return
            time.sleep(0.02)
        raise AssertionError("docker-registry does not start")

    @classmethod
    def fill(cls):
        kit.write_image(pathlib.Path(cls.data) / "good", 0o644)
        for image in ("app:7.2", "app:7.2.1", "app:7.3", "app:nightly-1", "app:nightly-2", "team/app:1.4"):
            subprocess.run(["skopeo", "--insecure-policy", "copy", "-q", "--dest-tls-verify=false", f"oci:{cls.data}/good",
                            f"docker://{cls.registry}/{image}"], check=True, capture_output=True)

    def setUp(self):
        super().setUp()
        for name in (".ocilint.yaml", "policy.yaml"):
            (self.folder / name).write_text(kit.POLICY)
        (self.folder / "build").mkdir()
        for name in ("image", "base"):
            shutil.copytree(self.folder / "good", self.folder / "build" / name)
        if self.registry is None:
            self.skipTest("docker-registry or skopeo not installed")
        # The programs of the page, with the real registry behind the name of the example.
        (self.bin / "ocilint").unlink()
        for name, program in (("ocilint", kit.OCILINT), ("skopeo", "/usr/bin/skopeo --insecure-policy")):
            more = ' --src-tls-verify=false --dest-tls-verify=false' if name == "skopeo" else ""
            self.stub(name, f'words=("${{@//{HOST}/{self.registry}}}")\nexec {program} "${{words[0]}}"{more} "${{words[@]:1}}"\n')
        archive = self.folder / "saved.tar"
        subprocess.run(["/usr/bin/skopeo", "--insecure-policy", "copy", "-q", f"oci:{self.folder}/good",
                        f"docker-archive:{archive}:app:1"], check=True, capture_output=True)
        self.stub("docker", f'[ "$1" = save ] && [ "$2" = app:1 ] && cat {archive}\n')

    def shell(self, text, **environment):
        return self.run_in(["bash", "-euo", "pipefail", "-c", text], environment)

    def good(self, text, **environment):
        got = self.shell(text, **environment)
        self.assertEqual(got.status, 0, text + "\n" + got.out + got.err)
        return got

    def test_anywhere_else(self):
        self.good(block("ci.md", "Anywhere else", "sh"), IMAGE="app:1")
        self.assertIn("<testsuite", self.read("junit.xml"))
        self.assertRegex(self.read("digest"), "^sha256:")

    def test_promotion_by_digest(self):
        self.good(block("registry.md", "Images of registries and engines", ""))
        self.good(f"ocilint check docker://{HOST}/team/app:release -p policy.yaml --digest-file again; cmp digest again")

    @kit.needs("jq")
    def test_json_report(self):
        lines = block("ci.md", "The JSON report for later stages", "line").splitlines()
        self.assertEqual(len(lines), 3)
        self.good("ocilint check oci:good -p policy.yaml -o json=ocilint.json")
        self.assertEqual(self.good(lines[0]).out, "")
        self.assertEqual(self.good(lines[1]).out.strip(), "true")
        self.assertIn("layers_listed", self.good(lines[2]).out)
        self.shell("ocilint check oci:bad -p policy.yaml -o json=ocilint.json")
        self.assertTrue(self.good(lines[0]).out.startswith("error /app/run: "))
        self.assertEqual(self.shell(lines[1]).status, 1)

    @kit.needs("jq")
    def test_statement_to_sign(self):
        self.stub("cosign", 'printf "%s\\n" "$@" > signed\n')
        self.good(block("ci.md", "A statement to sign", "sh"), NAME=f"{HOST}/app", TAG="7.2")
        words = self.read("signed").splitlines()
        self.assertEqual(words[-1], f"{HOST}/app@{self.read('digest').strip()}")
        self.assertIn('"result": "PASSED"', self.read("predicate.json"))
        self.assertIn("https://in-toto.io/attestation/test-result/v0.1", words)

    def test_other_image(self):
        (self.folder / "policy.yaml").write_text(kit.POLICY + "- {id: on-base, rule: base-image, with: {other: base}}\n")
        self.good(block("ci.md", "Compared with another image", "line"))

    def test_many_images(self):
        (self.folder / "released.txt").write_text(f"# all\ndocker://{HOST}/app:7.2\noci:good\n".replace(HOST, self.registry))
        lines = block("ci.md", "Many images", "line").splitlines()
        self.assertEqual(len(lines), 3)
        for line, count in zip(lines, (2, 1, 2)):
            got = self.good(line)
            self.assertEqual(len(re.findall(r"(?m)^modes · ", got.out)), count, got.out)
        self.good(block("ci.md", "Many images", "sh"))
        self.assertEqual(len(self.read("digests").splitlines()), 2)

    def test_baseline(self):
        lines = block("ci.md", "A policy for images that do not meet it yet", "line").replace("REF", "oci:bad").splitlines()
        self.assertEqual([self.shell(line).status for line in lines], [1, 0, 0])

    def test_variables_of_the_page_are_those_of_check(self):
        text = (kit.ROOT / "docs/ci.md").read_text()
        options = self.good("ocilint check --help-all").out
        for name in set(re.findall(r"OCILINT_([A-Z_]+)", text)) - {"REF", "DIGEST"}:
            self.assertIn("--" + name.lower().replace("_", "-"), options)

    def test_shell_completion(self):
        self.good("ocilint completion bash > script; bash -n script")


class Keys(unittest.TestCase):
    """What the page writes into files of services exists there."""

    def recipe(self, heading):
        try:
            import yaml
        except ImportError as error:
            raise unittest.SkipTest("no PyYAML") from error
        return yaml.safe_load(block("ci.md", heading, "yaml"))

    def test_github(self):
        steps, action = self.recipe("GitHub"), yaml_of("packaging/github-action/action.yml")
        self.assertLessEqual(set(steps[0]["with"]), set(action["inputs"]))
        self.assertEqual(steps[1]["with"]["sarif_file"], steps[0]["with"]["sarif-file"])
        for name in re.findall(r"steps\.gate\.outputs\.([a-z-]+)", str(steps)):
            self.assertIn(name, action["outputs"])
        self.assertTrue((kit.ROOT / steps[0]["uses"].split("@")[0].removeprefix("OWNER/ocilint/") / "action.yml").exists())

    def test_buildkite(self):
        step, = self.recipe("Buildkite")
        (path, values), = step["plugins"][0].items()
        self.assertLessEqual(set(values), set(yaml_of(path.removeprefix("./") + "/plugin.yml")["configuration"]["properties"]))

    def test_gitlab(self):
        job = self.recipe("GitLab")
        template = yaml_of(job["include"]["file"])
        self.assertIn(job["image-gate"]["extends"], template)

    @kit.needs("pre-commit")
    def test_pre_commit_takes_the_file_of_the_page(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(block("ci.md", "Before a commit", "yaml"))
            file.flush()
            got = subprocess.run(["pre-commit", "validate-config", file.name], text=True, capture_output=True, check=False)
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)

    def test_pre_commit(self):
        hooks = {hook["id"] for hook in yaml_of(".pre-commit-hooks.yaml")}
        for repository in self.recipe("Before a commit")["repos"]:
            self.assertLessEqual({hook["id"] for hook in repository["hooks"]}, hooks)


if __name__ == "__main__":
    unittest.main()
