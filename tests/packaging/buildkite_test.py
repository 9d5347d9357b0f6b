"""The Buildkite plugin: its hook with the variables that an agent sets, and a recorded agent."""

import json
import unittest

import kit

FOLDER = kit.ROOT / "packaging/ocilint-buildkite-plugin"
AGENT = """
{ printf '%s\\n' "$*"; [ "$1" = annotate ] && cat; } >>"$AGENT_LOG"
case "$*" in $AGENT_FAILS) exit 1 ;; esac
exit 0
"""


class Plugin(kit.Workspace):
    def setUp(self):
        super().setUp()
        self.stub("buildkite-agent", AGENT)

    def step(self, fails="nothing", **configuration):
        environment = {"BUILDKITE": "true", "BUILDKITE_STEP_ID": "0190-ab", "AGENT_LOG": str(self.folder / "agent"),
                       "AGENT_FAILS": fails}
        for name, value in configuration.items():
            values = {f"_{i}": one for i, one in enumerate(value)} if isinstance(value, list) else {"": value}
            for suffix, one in values.items():
                environment[f"BUILDKITE_PLUGIN_OCILINT_{name.upper()}{suffix}"] = one
        (self.folder / "agent").write_text("")
        return self.run_in(["bash", str(FOLDER / "hooks/command")], environment)

    def test_good_image_is_annotated_and_handed_on(self):
        got = self.step(image="oci:good", policy="p.yaml", digest_meta_data="app", output=["json=out.json"])
        self.assertEqual(got.status, 0, got.out + got.err)
        agent = self.read("agent")
        self.assertIn("annotate --style success --context ocilint-0190-ab-0\n", agent)
        self.assertIn(f"meta-data set app {self.digest}\n", agent)
        self.assertEqual(json.loads(self.read("out.json"))["images"][0]["exit_status"], 0)
        self.assertIn("verdict: pass", got.out)

    def test_bad_image_hands_on_nothing(self):
        got = self.step(image=["oci:good", "oci:bad"], policy=["p.yaml"], digest_meta_data="app")
        self.assertEqual(got.status, 1)
        self.assertIn("--style error", self.read("agent"))
        self.assertIn("/app/run", self.read("agent"))
        self.assertNotIn("meta-data", self.read("agent"))

    def test_statuses_2_and_3_are_annotated_too(self):
        for configuration, status in (({"image": "oci:absent", "policy": "p.yaml"}, 3),
                                      ({"image": "oci:good", "policy": "absent.yaml"}, 2)):
            self.assertEqual(self.step(**configuration).status, status)
            self.assertIn("--style error", self.read("agent"))
            self.assertGreater(len(self.read("agent").splitlines()), 1)
        self.assertEqual(self.step(policy="p.yaml").status, 2)

    def test_an_agent_that_fails(self):
        self.assertEqual(self.step(image="oci:good", policy="p.yaml", fails="annotate*").status, 0)
        got = self.step(image="oci:good", policy="p.yaml", digest_meta_data="app", fails="meta-data*")
        self.assertEqual(got.status, 2, "an old digest must not pass for this one")

    def test_annotate_false(self):
        self.assertEqual(self.step(image="oci:good", policy="p.yaml", annotate="false").status, 0)
        self.assertEqual(self.read("agent"), "")

    def test_configuration_is_never_an_option(self):
        for hostile in ("--help", "$(touch owned)", "--output=json=owned"):
            self.assertGreaterEqual(self.step(image=hostile, policy="p.yaml").status, 2)
            self.assertGreaterEqual(self.step(image="oci:good", policy=hostile).status, 2)
            self.assertIsNone(self.read("owned"))

    def test_plugin_yml_has_what_the_hook_reads(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML")
        properties = yaml.safe_load((FOLDER / "plugin.yml").read_text())["configuration"]["properties"]
        hook = (FOLDER / "hooks/command").read_text()
        for name in properties:
            found = name in hook or name.upper().replace("-", "_") in hook
            self.assertTrue(found, name)
            self.assertIn(f"`{name}`", (FOLDER / "README.md").read_text())


if __name__ == "__main__":
    unittest.main()
