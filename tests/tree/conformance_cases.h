// Which answer is ours where the engines of one family do not agree, or where we mean to differ from all.
//
// `engine` names the engine whose tree the view must equal; "ours" gives the tree in `lines`; "refused" wants
// the image or the layer refused. The facts behind each row are measured; the reasons are the specification's
// text or what protects a reader of the report.
#pragma once

#include <string_view>
#include <vector>

namespace ocilint::test {

enum class Family { overlay, cumulative };

struct Choice {
  std::string_view name;
  Family family;
  std::string_view engine;
  std::string_view reason;
  std::vector<std::string_view> lines = {};
  bool refusal_expected = true;  // where some engine of the overlay family refuses the image
};

inline const std::vector<Choice>& choices() {
  static const std::vector<Choice> table = {
      {"dup3_file_dir", Family::overlay, "ctr_overlayfs",
       "The last one wins; Docker and Podman refuse the layer, which is reported."},
      {"dup3_file_dir", Family::cumulative, "umoci", "The last one wins; Podman refuses."},
      {"dup5_file_sym", Family::overlay, "ctr_overlayfs",
       "The last one wins; Docker and Podman refuse the layer, which is reported."},
      {"dup5_file_sym", Family::cumulative, "umoci", "The last one wins; Podman refuses."},
      {"hl15_link_meta", Family::cumulative, "ctr_native",
       "A link's header changes the shared inode, as all but umoci do."},
      {"hl19_dev_link", Family::cumulative, "ctr_native",
       "A link's header changes the shared inode, as all but umoci do."},
      {"opq3b_spec_deep_last_implicit", Family::cumulative, "umoci",
       "An opaque mark hides lower names only; the others forget folders that are only implied."},
      {"opq4_nodir", Family::overlay, "ctr_overlayfs",
       "An implied folder keeps its lower attributes; that Docker and Podman reset them is reported."},
      {"opq9_missing_dir", Family::cumulative, "umoci", "A marker removes and never creates."},
      {"path2_escape", Family::overlay, "refused",
       "A name that leaves the root of the image is refused, as current Docker does."},
      {"path2_escape", Family::cumulative, "refused",
       "A name that leaves the root of the image is refused, as current Docker does."},
      {"path2b_escape_deep", Family::overlay, "refused",
       "A name that leaves the root of the image is refused, as current Docker does."},
      {"path2b_escape_deep", Family::cumulative, "refused",
       "A name that leaves the root of the image is refused, as current Docker does."},
      {"sym10_loop_parent",
       Family::overlay,
       "docker_overlay2",
       "The loop is in a lower layer; only containerd looks there, for attributes.",
       {},
       false},
      {"sym11_escape_rel", Family::cumulative, "umoci", "`..` at the root stays at the root; Podman refuses."},
      {"sym9_dangling_parent", Family::cumulative, "umoci", "The folder that the link names is made; Podman refuses."},
      {"t_empty_name_file",
       Family::cumulative,
       "ours",
       "A root entry that is no directory has no effect, as with Docker and containerd, and is reported.",
       {"a 0644 0:0 file='x'"}},
      {"t_global", Family::cumulative, "pvfs", "Global headers are ignored; umoci refuses."},
      {"wh11_bare_wh",
       Family::cumulative,
       "ours",
       "The marker names nothing and has no effect; it is reported.",
       {"etc 0755 0:0 dir", "etc/passwd 0644 0:0 file='p'", "z 0644 0:0 file='z'"}},
      {"wh13_wh_dotdot",
       Family::cumulative,
       "ours",
       "The marker names nothing and has no effect; it is reported.",
       {"a 0755 0:0 dir", "a/b 0755 0:0 dir", "a/b/x 0644 0:0 file='x'", "a/y 0644 0:0 file='y'"}},
      {"wh16_aufs_plnk_link",
       Family::overlay,
       "ours",
       "AUFS metadata is no part of the image; links into it share one inode.",
       {"bar 0644 0:0 file='data'", "foo 0644 0:0 file='data' ==bar"}},
      {"wh16_aufs_plnk_link",
       Family::cumulative,
       "ours",
       "AUFS metadata is no part of the image; links into it share one inode.",
       {"bar 0644 0:0 file='data'", "foo 0644 0:0 file='data' ==bar"}},
      {"wh17_wh_child_of_deleted_by_earlier", Family::cumulative, "umoci", "A marker removes and never creates."},
      {"wh2_file_then_whiteout", Family::cumulative, "umoci", "A marker applies to lower layers only."},
      {"wh6_base_layer_whiteout",
       Family::overlay,
       "ours",
       "A marker applies to lower layers only; Docker and Podman refuse the layer, which is reported.",
       {"a 0644 0:0 file='x'", "z 0644 0:0 file='z'"}},
      {"wh6_base_layer_whiteout", Family::cumulative, "umoci", "A marker applies to lower layers only."},
      {"wh8b_whiteout_implicit_existing_dir", Family::overlay, "ctr_overlayfs",
       "An implied folder keeps its lower attributes; that Docker and Podman reset them is reported."},
      {"wh9_whiteout_parent_then_child", Family::overlay, "podman_overlay",
       "The folder is gone; Docker and containerd refuse the layer, which is reported."},
      {"wh9_whiteout_parent_then_child", Family::cumulative, "umoci", "A marker removes and never creates."},
  };
  return table;
}

}  // namespace ocilint::test
