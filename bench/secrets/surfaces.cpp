#include "secrets/surfaces.h"

#include "base/base64.h"
#include "base/json.h"

namespace ocilint::bench {
namespace {

using Kind = Document::Kind;

/// As Go's %q writes a string in the histories of HEALTHCHECK, CMD and ENTRYPOINT.
std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string entry(const std::string& created_by) { return Json{{"history", {{{"created_by", created_by}}}}}.dump(); }
std::string config(const char* key, const Json& value) { return Json{{"config", {{key, value}}}}.dump(); }
std::string request(const char* key, const std::string& value) {
  const Json parameters{{"request", {{"args", {{key, value}}}}}};
  return Json{{"predicate", {{"buildDefinition", {{"externalParameters", parameters}}}}}}.dump();
}
std::string step(const char* key, const Json& value) {
  const Json steps = {{{"id", "step0"}, {"op", {{"Op", {{"exec", {{"meta", {{key, value}}}}}}}}}}};
  const Json build{{"buildConfig", {{"llbDefinition", steps}}}};
  return Json{{"predicate", {{"buildDefinition", {{"internalParameters", build}}}}}}.dump();
}

const std::string nop = "/bin/sh -c #(nop)  ";
const std::string buildah = "/bin/sh -c #(nop) ";

constexpr Surface all[] = {
    {"classic ENV", Kind::config, [](const std::string& t) { return entry(nop + "ENV PATH=/bin NOTE=" + t); }},
    {"classic ARG", Kind::config, [](const std::string& t) { return entry(nop + "ARG NOTE=" + t); }},
    {"classic LABEL", Kind::config, [](const std::string& t) { return entry(nop + "LABEL v=1 note=" + t); }},
    {"classic RUN", Kind::config, [](const std::string& t) { return entry("/bin/sh -c echo " + t + " > /x"); }},
    {"classic |N", Kind::config,
     [](const std::string& t) { return entry("|3 A=a b NOTE=" + t + " V=1 /bin/sh -c make all"); }},
    {"classic CMD", Kind::config,
     [](const std::string& t) { return entry(nop + "CMD [\"sh\" \"-c\" " + go_quoted("run " + t) + "]"); }},
    {"classic HEALTHCHECK", Kind::config,
     [](const std::string& t) {
       return entry(nop + "HEALTHCHECK &{[\"CMD-SHELL\" " + go_quoted("check " + t) + "] \"0s\" \"0s\" '\\x00'}");
     }},
    {"classic ONBUILD", Kind::config, [](const std::string& t) { return entry(nop + "ONBUILD RUN echo " + t); }},
    {"classic SHELL", Kind::config,
     [](const std::string& t) { return entry("cmd /S /C #(nop)  ENV PATH=C NOTE=" + t); }},
    {"buildkit ENV", Kind::config, [](const std::string& t) { return entry("ENV PATH=/bin NOTE=" + t); }},
    {"buildkit ARG", Kind::config, [](const std::string& t) { return entry("ARG NOTE=" + t); }},
    {"buildkit LABEL", Kind::config, [](const std::string& t) { return entry("LABEL note=" + t); }},
    {"buildkit RUN", Kind::config,
     [](const std::string& t) { return entry("RUN /bin/sh -c echo " + t + " > /x # buildkit"); }},
    {"buildkit |N", Kind::config,
     [](const std::string& t) { return entry("RUN |3 UNSET= NOTE=" + t + " V=1 /bin/sh -c make # buildkit"); }},
    {"buildkit heredoc", Kind::config,
     [](const std::string& t) { return entry("RUN /bin/sh -c set -e\necho " + t + "\nmake\n # buildkit"); }},
    {"buildah ENV", Kind::config,
     [](const std::string& t) { return entry(buildah + "ENV A=x \"NOTE\"=\"" + t + "\""); }},
    {"buildah |N", Kind::config,
     [](const std::string& t) { return entry("|5 NOTE=" + t + " WITH_DEFAULT=d /bin/sh -c make"); }},
    {"buildah suffix", Kind::config,
     [](const std::string& t) { return entry(buildah + "LABEL note=" + t + "|unsetLabel=true|force-mtime=10"); }},
    {"kaniko RUN", Kind::config, [](const std::string& t) { return entry("RUN echo " + t); }},
    {"commit argv", Kind::config, [](const std::string& t) { return entry("-c echo " + t); }},
    {"history comment", Kind::config,
     [](const std::string& t) {
       return Json{{"history", {{{"created_by", "x"}, {"comment", "note " + t}}}}}.dump();
     }},
    {"nix comment", Kind::config,
     [](const std::string& t) {
       return Json{{"history", {{{"comment", "store paths: ['/nix/x' " + t + "]"}}}}}.dump();
     }},
    {"history author", Kind::config,
     [](const std::string& t) {
       return Json{{"history", {{{"created_by", "x"}, {"author", t}}}}}.dump();
     }},
    {"config Env", Kind::config, [](const std::string& t) { return config("Env", Json::array({"NOTE=" + t})); }},
    {"config Labels", Kind::config,
     [](const std::string& t) {
       return config("Labels", {{"note", t}});
     }},
    {"config Cmd", Kind::config,
     [](const std::string& t) {
       return config("Cmd", {"sh", "-c", "run " + t});
     }},
    {"config Entrypoint", Kind::config,
     [](const std::string& t) {
       return config("Entrypoint", {"run", t});
     }},
    {"config OnBuild", Kind::config,
     [](const std::string& t) { return config("OnBuild", Json::array({"RUN echo " + t})); }},
    {"config Healthcheck", Kind::config,
     [](const std::string& t) {
       return config("Healthcheck", {{"Test", {"CMD-SHELL", "check " + t}}});
     }},
    {"config Shell", Kind::config,
     [](const std::string& t) {
       return config("Shell", {"sh", "-c", t});
     }},
    {"config author", Kind::config,
     [](const std::string& t) {
       return Json{{"author", t}}.dump();
     }},
    {"container_config", Kind::config,
     [](const std::string& t) {
       return Json{{"container_config", {{"Env", Json::array({"NOTE=" + t})}}}}.dump();
     }},
    {"unknown key", Kind::config,
     [](const std::string& t) {
       return Json{{"x", {{"deep", {1, t}}}}}.dump();
     }},
    {"JSON in a label", Kind::config,
     [](const std::string& t) {
       return config("Labels", {{"meta", Json{{"source", {{"note", t}}}}.dump()}});
     }},
    {"buildinfo", Kind::config,
     [](const std::string& t) {
       return Json{{"moby.buildkit.buildinfo.v1", encode_base64(Json{{"attrs", {{"build-arg:NOTE", t}}}}.dump())}}
           .dump();
     }},
    {"legacy config", Kind::legacy_config,
     [](const std::string& t) {
       return Json{{"container_config", {{"Cmd", {"sh", "-c", t}}}}}.dump();
     }},
    {"manifest annotation", Kind::manifest,
     [](const std::string& t) {
       return Json{{"annotations", {{"org.x.note", t}}}}.dump();
     }},
    {"layer annotation", Kind::manifest,
     [](const std::string& t) {
       return Json{{"layers", {{{"annotations", {{"org.x.note", t}}}}}}}.dump();
     }},
    {"index annotation", Kind::index,
     [](const std::string& t) {
       return Json{{"manifests", {{{"annotations", {{"org.x.note", t}}}}}}}.dump();
     }},
    {"provenance v1 argument", Kind::attestation, [](const std::string& t) { return request("build-arg:NOTE", t); }},
    {"provenance v0.2 argument", Kind::attestation,
     [](const std::string& t) {
       const Json parameters{{"parameters", {{"args", {{"build-arg:NOTE", t}}}}}};
       return Json{{"predicate", {{"invocation", parameters}}}}.dump();
     }},
    {"provenance material", Kind::attestation,
     [](const std::string& t) {
       const Json materials = {{{"uri", t}}};
       return Json{{"predicate", {{"materials", materials}}}}.dump();
     }},
    {"provenance step env", Kind::attestation,
     [](const std::string& t) {
       return step("env", Json::array({"PATH=/bin", "NOTE=" + t}));
     }},
    {"provenance step args", Kind::attestation,
     [](const std::string& t) {
       return step("args", {"/bin/sh", "-c", "echo " + t});
     }},
    {"provenance Dockerfile", Kind::attestation,
     [](const std::string& t) {
       const Json infos = {{{"filename", "Dockerfile"}, {"data", encode_base64("FROM x\nRUN echo " + t + "\n")}}};
       const Json metadata{{"buildkit_metadata", {{"source", {{"infos", infos}}}}}};
       return Json{{"predicate", {{"runDetails", {{"metadata", metadata}}}}}}.dump();
     }},
    {"SBOM text", Kind::attestation,
     [](const std::string& t) {
       const Json packages = {{{"name", "p"}, {"downloadLocation", "NOASSERTION"}, {"comment", t}}};
       return Json{{"predicate", {{"packages", packages}}}}.dump();
     }},
    {"signed envelope", Kind::attestation,
     [](const std::string& t) {
       return Json{{"payloadType", "application/vnd.in-toto+json"},
                   {"payload", encode_base64(request("build-arg:NOTE", t))},
                   {"signatures", Json::array()}}
           .dump();
     }},
};

}  // namespace

std::span<const Surface> surfaces() { return all; }

}  // namespace ocilint::bench
