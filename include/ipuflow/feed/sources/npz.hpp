// SPDX-License-Identifier: BSL-1.0
// Several arrays in one file, as numpy.savez writes them: a zip file of .npy files. `npz{path}.array<float, 28, 28>("x")`
// is a dataset; arrays that are not packed are the bytes of the file, mapped.
#pragma once

#include <ipuflow/feed/sources/archive.hpp>
#include <ipuflow/feed/sources/npy.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ipuflow::feed {

class npz {
 public:
  /// Throws unless the directory of the file is whole; arrays are looked at when they are asked for.
  explicit npz(const std::string& path) : file_{impl::map_file(path)} {}

  /// The names of the arrays, in the order of the file.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& e : file_.entries()) all.push_back(name_of(e));
    return all;
  }
  /// The type and the extents of an array.
  [[nodiscard]] npy_header header(std::string_view name) const { return parse_npy(read_entry(name).bytes, place(name)); }

  /// All of an array, whatever its extents.
  template <tensor_element Element>
  [[nodiscard]] npy_array<Element> read(std::string_view name) const {
    const impl::kept_bytes found = read_entry(name);
    return impl::array_in<Element>(found.bytes, found.keeps, place(name));
  }

  /// The samples of an array, of these extents, as `npy` has them.
  template <tensor_element Element, std::size_t... Extent>
  [[nodiscard]] npy_dataset<Element, impl::npy_width<Extent...>> array(std::string_view name) const {
    return {read<Element>(name), place(name)};
  }

 private:
  static std::string name_of(const impl::archive_entry& e) {
    return e.name.ends_with(".npy") ? e.name.substr(0, e.name.size() - 4) : e.name;
  }
  std::string place(std::string_view name) const { return file_.path() + "[" + std::string{name} + "]"; }

  impl::kept_bytes read_entry(std::string_view name) const {
    fixed_string<100> there;
    for (const auto& e : file_.entries()) {
      const std::string own = name_of(e);
      if (own == name) return file_.read(e, place(name));
      if (!there.empty()) there += std::string_view{", "};
      there += std::string_view{own};
    }
    impl::refuse_array(array_wrong::no_such_entry, file_.path(), 0, 0, name, there);
  }

  impl::archive file_;
};

}  // namespace ipuflow::feed
