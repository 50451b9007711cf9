// SPDX-License-Identifier: BSL-1.0
// A file that a test makes of text or bytes, gone at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ipuflow::test {

class made_file {
 public:
  made_file(const char* name, std::string_view text)
      : path_{(std::filesystem::temp_directory_path() / (std::string{"ipuflow_made_"} + name)).string()} {
    write(text);
  }
  made_file(const char* name, const std::vector<std::uint8_t>& bytes)
      : made_file{name, std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()}} {}
  made_file(const made_file&) = delete;
  made_file& operator=(const made_file&) = delete;
  ~made_file() { std::filesystem::remove(path_); }

  const std::string& path() const { return path_; }
  void write(std::string_view text) const {
    std::ofstream{path_, std::ios::binary}.write(text.data(), static_cast<std::streamsize>(text.size()));
  }

 private:
  std::string path_;
};

/// The sentence with which `act` refuses, the path in it as "f"; empty if it does not.
template <class Error, class Act>
std::string sentence_of(const std::string& path, Act act) {
  try {
    act();
  } catch (const Error& wrong) {
    std::string text = wrong.what();
    for (std::size_t at = text.find(path); at != text.npos; at = text.find(path, at + 1)) text.replace(at, path.size(), "f");
    return text;
  }
  return {};
}

}  // namespace ipuflow::test
