// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/feed/sources/npy_header.hpp>

#include "made_arrays.hpp"
#include "made_file.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace npy_header_test {

using namespace ipuflow;
using test::byte_list;

namespace {

feed::npy_header header_of(std::string_view text, std::size_t bytes, int version = 1) {
  return feed::parse_npy(test::npy_of(text, byte_list(bytes), version), "f");
}
std::string refused(const byte_list& bytes) {
  return test::sentence_of<rejected<feed::array_fault>>("f", [&] { (void)feed::parse_npy(bytes, "f"); });
}
std::string refused(std::string_view text, std::size_t bytes = 24) { return refused(test::npy_of(text, byte_list(bytes))); }

}  // namespace

TEST_CASE("headers of all versions, in any order of keys, with and without blanks") {
  for (const int version : {1, 2, 3}) {
    const feed::npy_header h = header_of(test::npy_text("<f4", "(2, 3)"), 24, version);
    CHECK(h.kind == 'f');
    CHECK(h.element_bytes == 4);
    CHECK(h.extents == per_stage(2, 3));
    CHECK(h.elements == 6);
    CHECK(h.offset % 64 == (version == 1 ? 0 : 2));
    CHECK(h.shape_text() == fixed_string{"(2, 3)"});
  }
  const feed::npy_header other = header_of("{\"shape\":(7,),'fortran_order':True,'descr':'>i8'}", 56);
  CHECK(other.big_endian);
  CHECK(other.fortran_order);
  CHECK(other.element_text() == fixed_string{">i8"});
  CHECK(other.shape_text() == fixed_string{"(7,)"});
  CHECK(header_of("{'descr': '|b1', 'fortran_order': False, 'shape': (3L, 0L), }", 0).elements == 0);
  CHECK(header_of("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", 8).extents.empty());
}

TEST_CASE("what cannot be read is refused with what was found") {
  CHECK(refused(byte_list{'P', 'K'}) == "ipuflow: 'f' is no .npy file, it does not begin with \\x93NUMPY; write it with numpy.save");
  CHECK(refused(test::npy_of("{}", {}, 4)) == "ipuflow: 'f' is a .npy file of version 4, versions 1 to 3 are known; write it with numpy.save");
  const byte_list whole = test::npy_of(test::npy_text("<f4", "(2, 3)"), byte_list(24));
  CHECK(refused(byte_list(whole.begin(), whole.begin() + 100)) ==
        "ipuflow: 'f' has 100 bytes but the header of the array takes 128; it is cut off, get it anew");
  CHECK(refused(byte_list(whole.begin(), whole.begin() + 7)).find("has 7 bytes but the header") != std::string::npos);
  CHECK(refused(byte_list(whole.begin(), whole.end() - 1)) ==
        "ipuflow: the array 'f' has 23 bytes of elements but its header announces 24; it is damaged, get it anew");
  CHECK(refused("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (6,)}") ==
        "ipuflow: the header of the array 'f' cannot be read from character 34 on, 'Maybe, 'shape': (6,)}'; it is damaged, get it anew");
  CHECK(refused("{'descr': '|O', 'fortran_order': False, 'shape': (6,)}") ==
        "ipuflow: the elements of 'f' are '|O', neither bool nor numbers of 1 to 8 bytes; convert them, as in "
        "numpy.save(path, a.astype('float32'))");
  for (const char* type : {"<U7", "<c8", "<f3", "f4", "<f16", "<M8[ns]", "<b2", ""}) {
    CHECK(refused("{'descr': '" + std::string{type} + "', 'fortran_order': False, 'shape': (6,)}").find("neither bool") != std::string::npos);
  }
  CHECK(refused("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,)}").find("are '[('x', '<f4')]") != std::string::npos);
  CHECK(refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}") ==
        "ipuflow: the extents in the header of 'f' multiply to more than the 9223372036854775807 bytes that there can be; it is damaged, "
        "get it anew");
  for (const char* text : {"", "{", "{}", "{'descr': '<f4', 'fortran_order': False}", "{'shape': (99999999999999999999,)}", "{'shape': (-1,)}",
                           "{'shape': (1 2)}", "{'shape': (1", "{'other': 1}", "{'descr", "{'descr': '<f4', 'descr': '<f4'}", "{'descr' '<f4'}"}) {
    CHECK(refused(std::string_view{text}).find("cannot be read from character") != std::string::npos);
  }
}

}  // namespace npy_header_test
