"""The GitHub Action: its script with the variables that a runner sets, and action.yml against the script."""

import hashlib
import json
import re
import unittest

import kit

FOLDER = kit.ROOT / "packaging/github-action"
SCRIPT = FOLDER / "check.sh"


class Action(kit.Workspace):
    def step(self, **inputs):
        environment = {f"INPUT_{name.upper()}": value for name, value in inputs.items()}
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            (self.folder / name).touch()
            environment[name] = str(self.folder / name)
        environment.setdefault("INPUT_FAIL_ON", "error")
        (self.folder / "temp").mkdir(exist_ok=True)
        environment["RUNNER_TEMP"] = str(self.folder / "temp")
        got = self.run_in(["bash", str(SCRIPT)], environment)
        self.assertEqual(list((self.folder / "temp").iterdir()), [], "the step leaves nothing in the runner's folder")
        return got

    def outputs(self):
        text = self.read("GITHUB_OUTPUT")
        found = dict(re.findall(r"^([a-z-]+)=(.*)$", text, re.M))
        for name, value in re.findall(r"^([a-z-]+)<<end-of-digests\n(.*?)\nend-of-digests$", text, re.M | re.S):
            found[name] = value
        return found

    def test_good_image_gives_its_digest(self):
        got = self.step(image="oci:good", policy="p.yaml", sarif_file="out.sarif", json_file="out.json")
        self.assertEqual(got.status, 0, got.out + got.err)
        self.assertEqual(self.outputs(), {"exit-status": "0", "digest": self.digest})
        self.assertIn("verdict: pass", got.out)
        self.assertEqual(json.loads(self.read("out.sarif"))["version"], "2.1.0")
        self.assertEqual(json.loads(self.read("out.json"))["images"][0]["manifest_digest"], self.digest)
        self.assertIn("modes", self.read("GITHUB_STEP_SUMMARY"))

    def test_bad_image_fails_with_annotation_and_summary(self):
        (self.folder / "GITHUB_STEP_SUMMARY").write_text("# what stood there\n")
        got = self.step(image="oci:bad", policy="p.yaml", anchor="Dockerfile:7", sarif_file="out.sarif")
        self.assertEqual(got.status, 1)
        self.assertEqual(self.outputs(), {"exit-status": "1", "digest": ""})
        self.assertRegex(got.out, r"(?m)^::error file=Dockerfile,line=7,")
        self.assertTrue(self.read("GITHUB_STEP_SUMMARY").startswith("# what stood there\n"))
        self.assertIn("/app/run", self.read("GITHUB_STEP_SUMMARY"))
        self.assertEqual(len(json.loads(self.read("out.sarif"))["runs"][0]["results"]), 1)

    def test_several_images_and_policies_are_lines(self):
        (self.folder / "q.yaml").write_text(kit.POLICY.replace("policy: modes", "policy: other"))
        got = self.step(image="\n  oci:good\r\n\noci:bad\n", policy="p.yaml\nq.yaml", fail_on="error")
        self.assertEqual(got.status, 1)
        for word in ("modes · oci:good", "other · oci:bad", "oci:bad"):
            self.assertIn(word.split(" · ")[-1], got.out)
        got = self.step(image="oci:good\noci:good", policy="p.yaml")
        self.assertEqual(self.outputs()["digest"], f"{self.digest}\n{self.digest}")

    def test_an_image_that_is_not_there_is_3_and_said(self):
        got = self.step(image="oci:absent", policy="p.yaml", sarif_file="out.sarif")
        self.assertEqual(got.status, 3)
        self.assertEqual(self.outputs(), {"exit-status": "3", "digest": ""})
        self.assertIn("::error", got.out)

    def test_a_report_of_yesterday_is_not_uploaded_again(self):
        (self.folder / "out.sarif").write_text("yesterday")
        got = self.step(image="oci:good", policy="absent.yaml", sarif_file="out.sarif")
        self.assertEqual(got.status, 2)
        self.assertIsNone(self.read("out.sarif"))
        self.assertIn("::error title=ocilint::nothing was checked", got.out)
        self.assertEqual(self.outputs(), {"exit-status": "2", "digest": ""})

    def test_inputs_are_never_options_or_commands(self):
        for hostile in ("--help", "-p", "$(touch owned)", "`touch owned`", "; touch owned", "--output=json=owned"):
            with self.subTest(hostile):
                self.assertGreaterEqual(self.step(image=hostile, policy="p.yaml").status, 2)
                self.assertGreaterEqual(self.step(image="oci:good", policy=hostile).status, 2)
                self.assertIsNone(self.read("owned"))

    def test_without_image_or_program(self):
        got = self.step(image=" \n ")
        self.assertEqual((got.status, got.out), (2, "::error title=ocilint::the input image is empty\n"))
        (self.bin / "ocilint").unlink()
        got = self.step(image="oci:good")
        self.assertEqual(got.status, 2)
        self.assertIn("ocilint is not there", got.out)

    def test_a_package_is_installed_only_with_its_digest(self):
        (self.bin / "ocilint").unlink()
        (self.folder / "it.deb").write_text("package")
        install = f"echo \"$*\" >>{self.folder}/calls; cp -P {self.folder}/hidden {self.bin}/ocilint\n"
        (self.folder / "hidden").symlink_to(kit.OCILINT)
        self.stub("apt-get", install)
        self.stub("sudo", '"$@"')
        wrong = self.step(image="oci:good", policy="p.yaml", package="it.deb", package_sha256="0" * 64)
        self.assertEqual(wrong.status, 2)
        self.assertIsNone(self.read("calls"))
        self.assertEqual(self.step(image="oci:good", package="https://localhost/it.deb").status, 2)
        right = self.step(image="oci:good", policy="p.yaml", package="it.deb",
                          package_sha256=hashlib.sha256(b"package").hexdigest())
        self.assertEqual(right.status, 0, right.out + right.err)
        self.assertRegex(self.read("calls"), r"install .*/ocilint\.deb")

    def test_action_yml_hands_on_every_input(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML")
        action = yaml.safe_load((FOLDER / "action.yml").read_text())
        step, = action["runs"]["steps"]
        handed = step["env"]
        self.assertEqual(set(handed.values()), {"${{ inputs.%s }}" % name for name in action["inputs"]})
        script = SCRIPT.read_text()
        options = re.search(r"for option in (.*); do", script).group(1).split()
        for name in action["inputs"]:
            variable = "INPUT_" + name.upper().replace("-", "_")
            self.assertIn(variable, handed)
            self.assertTrue(variable in script or name in options, name)
        for name, output in action["outputs"].items():
            self.assertEqual(output["value"], "${{ steps.%s.outputs.%s }}" % (step["id"], name))
        self.assertNotIn("${{", step["run"], "texts of a workflow never become part of a script")


if __name__ == "__main__":
    unittest.main()
