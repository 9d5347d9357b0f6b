"""Manual pages: one a command, with every option, and no complaint of mandoc or groff."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import kit


def text_of(words):
    return subprocess.run([kit.OCILINT, *words], text=True, capture_output=True, check=True).stdout


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        text_of(["man", "--into", cls.folder.name])
        cls.pages = {path.name: path for path in pathlib.Path(cls.folder.name).iterdir()}
        cls.verbs = re.findall(r"^  ([a-z]+)  ", text_of(["--help"]).split("ommands:\n")[1], re.M)

    def test_every_command_has_a_page(self):
        self.assertEqual(set(self.pages), {"ocilint.1", "ocilint-policy.5"} | {f"ocilint-{verb}.1" for verb in self.verbs})
        for name, page in self.pages.items():
            command = name.removesuffix(".1").split("-")[1:]
            self.assertEqual(page.read_text(), text_of(["man", *command]))

    @kit.needs("man")
    def test_a_page_says_what_help_says(self):
        for verb in self.verbs:
            shown = subprocess.run(["man", "-l", str(self.pages[f"ocilint-{verb}.1"])], text=True, capture_output=True,
                                   check=True, env={"PATH": "/usr/bin:/bin", "MANWIDTH": "1000", "LC_ALL": "C.UTF-8"}).stdout
            shown = re.sub(r"\s+", " ", shown.replace("\u2010", "-"))
            whole = text_of([verb, "--help-all"])
            options = re.findall(r"^  (-\S+)", whole, re.M)
            self.assertGreaterEqual(len(options), 1)
            for name in {one for option in options for one in option.split(",")} - {"--help-all"}:
                self.assertIn(name, shown, verb)
            examples = set(re.findall(r"^  (ocilint .*|.*\| ocilint .*)$", whole, re.M))
            for line in examples - set(text_of(["--help"]).replace("\n  ", "\n").splitlines()):
                self.assertIn(re.sub(r"\s+", " ", line), shown, verb)
            self.assertIn("EXIT STATUS", shown)

    @kit.needs("man")
    def test_the_page_of_policies_has_every_key_and_every_parameter(self):
        shown = subprocess.run(["man", "-l", str(self.pages["ocilint-policy.5"])], text=True, capture_output=True, check=True,
                               env={"PATH": "/usr/bin:/bin", "MANWIDTH": "1000", "LC_ALL": "C.UTF-8"}).stdout
        shown = shown.replace("\u2010", "-")
        entries = set(re.findall(r"^ +([a-z_0-9]+)(?: |$)", shown, re.M))

        def keys(schema):
            if isinstance(schema, dict):
                for key, below in schema.items():
                    if key == "properties":
                        yield from below
                    yield from keys(below)
            elif isinstance(schema, list):
                for one in schema:
                    yield from keys(one)

        schema = json.loads(text_of(["schema"]))
        self.assertEqual(set(keys(schema)) - entries, set())
        for line in text_of(["rules"]).splitlines():
            self.assertRegex(shown, rf"(?m)^ +{re.escape(line.split()[0])}$")

    @kit.needs("mandoc")
    def test_mandoc(self):
        got = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *map(str, self.pages.values())], text=True,
                             capture_output=True, check=False)
        self.assertEqual(got.stdout + got.stderr, "")

    @kit.needs("groff")
    def test_groff(self):
        for page in self.pages.values():
            got = subprocess.run(["groff", "-man", "-ww", "-K", "utf8", "-T", "utf8", "-z", str(page)], text=True,
                                 capture_output=True, check=False)
            self.assertEqual(got.stderr, "")

    def test_the_first_page_names_variables_and_statuses(self):
        page = self.pages["ocilint.1"].read_text().replace("\\-", "-")
        for word in ("OCILINT_FAIL_ON", "OCILINT_POLICY", "REGISTRY_AUTH_FILE", "NO_COLOR", ".ocilint.yaml", "130"):
            self.assertIn(word, page)


if __name__ == "__main__":
    unittest.main()
